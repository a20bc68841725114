/** The id of an investigator: a hash of the public desk key, so it need not be encrypted. */
import { base64urlnopad } from '@scure/base';
import type { AgeRecipient } from './age.ts';
import { hashRecipient } from './case-key.ts';

export function computeInvestigatorId(recipient: AgeRecipient): string {
  return base64urlnopad.encode(hashRecipient(recipient));
}

export function isInvestigatorId(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
