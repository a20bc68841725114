/** The hash chain of the audit log: each hash covers every earlier entry, even one whose text has been deleted. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { encodeUtf8, joinBytes } from './bytes.ts';

/** The last entry and its hash; a desk that remembers it can detect whether the chain has been rewritten since. */
export interface AuditHead {
  readonly number: number;
  readonly hash: string;
}

/** The head of an empty log. Must never change, or no existing chain could be verified. */
export const FIRST_AUDIT_HEAD: AuditHead = {
  number: 0,
  hash: base64urlnopad.encode(sha256(encodeUtf8('inquiry-office/audit/v1'))),
};

/** The salt, always of the same length, keeps a deleted entry from being guessed. */
export function hashAuditEntry(salt: string, entry: string): string {
  return base64urlnopad.encode(sha256(encodeUtf8(`${salt}${entry}`)));
}

export function advanceAuditHead({ number, hash }: AuditHead, entryHash: string): AuditHead {
  const bytes = joinBytes(base64urlnopad.decode(hash), base64urlnopad.decode(entryHash));
  return { number: number + 1, hash: base64urlnopad.encode(sha256(bytes)) };
}

const HEAD = /^(\d{1,15}):([\w-]{43})$/;

export function formatAuditHead({ number, hash }: AuditHead): string {
  return `${number}:${hash}`;
}

export function parseAuditHead(text: string): AuditHead | null {
  const [, number, hash] = HEAD.exec(text) ?? [];
  return number === undefined || hash === undefined ? null : { number: Number(number), hash };
}
