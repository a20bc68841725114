/** Deletes expired tokens, grants, proofs and codes. */
import { DAY_MS } from '#platform/durations.ts';
import type { Services } from '#services.ts';
import { deleteOldSignInCodes } from '#store/sign-in-codes.ts';
import { deleteExpiredTokens } from '#store/tokens.ts';

const BATCH = 100;
/** Codes count towards the daily limit per address. */
const CODE_RETENTION_MS = DAY_MS;

/** In small batches, because SQLite blocks other requests meanwhile. */
export async function sweepTokens({ store, clock }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const now = clock.now();
  await store.transaction((records) => deleteOldSignInCodes(records, now - CODE_RETENTION_MS));
  while ((await store.transaction((records) => deleteExpiredTokens(records, now, BATCH))) === BATCH);
}
