/** Who at the desk wrote a message: sealed in it as a hash that the buyer, who lacks the salt, can make nothing of. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';

/** Stored beside the message, for the desk alone. */
export interface DeskAuthor {
  /** The SHA-256 of their public key. */
  readonly holder: string;
  /** 32 random bytes as base64url: without it, each of the few people of a desk could be tried. */
  readonly salt: string;
}

/** The service can neither name another author later nor tell the buyer who it was without the salt. */
export function hashDeskAuthor({ holder, salt }: DeskAuthor): string {
  return base64urlnopad.encode(sha256(new TextEncoder().encode(`desk-author.v1 ${salt} ${holder}`)));
}
