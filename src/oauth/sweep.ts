/** Forgets what is over: tokens, grants, proofs, codes. */
import type { Services } from '#services.ts';
import { deleteOldSignInCodes } from '#store/sign-in-codes.ts';
import { deleteExpiredTokens } from '#store/tokens.ts';

const BATCH = 100;
/** Spent codes count for an hour. */
const CODES_KEPT_MS = 3_600_000;

/** In small batches, since the embedded store answers nobody meanwhile. */
export async function sweepTokens({ store, clock }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const now = clock.now();
  await store.transaction((records) => deleteOldSignInCodes(records, now - CODES_KEPT_MS));
  while ((await store.transaction((records) => deleteExpiredTokens(records, now, BATCH))) === BATCH);
}
