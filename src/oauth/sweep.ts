/** Forgets what is over: tokens, grants, proofs, codes. */
import type { Services } from '#services.ts';
import { forgetCodes } from '#store/sign-in-codes.ts';
import { forgetTokens } from '#store/tokens.ts';

const BATCH = 100;
/** Spent codes count for an hour. */
const CODES_KEPT_MS = 3_600_000;

/** In small batches, since the embedded store answers nobody meanwhile. */
export async function sweepTokens({ store, clock }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const now = clock.now();
  await store.transaction((records) => forgetCodes(records, now - CODES_KEPT_MS));
  while ((await store.transaction((records) => forgetTokens(records, now, BATCH))) === BATCH);
}
