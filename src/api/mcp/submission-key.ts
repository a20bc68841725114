/** Keys for repeating submit_inquiry, issued by create_checkout: one that a model makes up could be guessed. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '#platform/errors.ts';
import type { Keyring } from '#store/keys/keyring.ts';

const RANDOM_BYTES = 16;
/** 128 bits in base64url. */
const HALF_LENGTH = 22;

/** One half is random; the other proves that it was issued here for this order, so it need not be stored. */
export function createSubmissionKey(keyring: Keyring, orderId: string): string {
  const random = randomBytes(RANDOM_BYTES).toString('base64url');
  return random + computeProof(keyring, orderId, random);
}

export function requireSubmissionKey(keyring: Keyring, orderId: string, key: string): string {
  const expected = Buffer.from(computeProof(keyring, orderId, key.slice(0, HALF_LENGTH)));
  const given = Buffer.from(key.slice(HALF_LENGTH));
  if (given.length === expected.length && timingSafeEqual(given, expected)) return key;
  throw new ServiceError('validation_failed', {
    errors: [
      {
        pointer: '/submission_key',
        detail:
          'This is no `submission_key` that create_checkout gave with this order; the same create_checkout with its `idempotency_key` gives one. Without one the inquiry is taken too, but its words come once.',
      },
    ],
  });
}

function computeProof(keyring: Keyring, orderId: string, random: string): string {
  return keyring.tag('submission key', `${orderId}\n${random}`).slice(0, HALF_LENGTH);
}
