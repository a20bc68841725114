/** A holder: whose desk key it is, told by a hash of the public key, so that it can stand in clear. */
import { base64urlnopad } from '@scure/base';
import type { AgeRecipient } from './age.ts';
import { hashRecipient } from './case-key.ts';

export function computeHolder(recipient: AgeRecipient): string {
  return base64urlnopad.encode(hashRecipient(recipient));
}

export function isHolder(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
