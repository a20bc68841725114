/** Who at the desk wrote a message: sealed into it as a hash that means nothing to the buyer, who lacks the salt. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';

/** Stored beside the message, for the desk only. */
export interface DeskAuthor {
  /** The SHA-256 of their public key. */
  readonly holder: string;
  /** 32 random bytes as base64url: without a salt, the author could be found by trying everyone at the desk. */
  readonly salt: string;
}

/** Commits to the author: the service cannot name another one later. */
export function hashDeskAuthor({ holder, salt }: DeskAuthor): string {
  return base64urlnopad.encode(sha256(new TextEncoder().encode(`desk-author.v1 ${salt} ${holder}`)));
}
