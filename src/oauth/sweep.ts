/** Deletes expired tokens, grants, proofs and codes. */
import { DAY_MS } from '#platform/durations.ts';
import type { Services } from '#services.ts';
import { deleteOldestSignInCodes } from '#store/clients/sign-in-codes.ts';
import { deleteExpiredTokens } from '#store/clients/tokens.ts';
import { runInBatches } from '#store/engine/batches.ts';

/** Codes count towards the daily limit per address. */
const CODE_RETENTION_MS = DAY_MS;

export async function sweepTokens({ store, clock }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const now = clock.now();
  await runInBatches(store, (records, limit) =>
    deleteOldestSignInCodes(records, now - CODE_RETENTION_MS, limit),
  );
  await runInBatches(store, (records, limit) => deleteExpiredTokens(records, now, limit));
}
