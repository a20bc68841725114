/** Cases to be sealed again and the keys to seal them to, in the database or at an office. */
import type { RefundToReseal } from '#cases/sealing/reseal.ts';
import type { CaseToReseal, ResealedCase } from '#seal/case/resealed-case.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';

export interface ResealSource {
  /** Whom to seal to, from files or settings of this machine, never from an office. */
  readonly holders: CaseKeyRecipients;
  readonly set: RecipientSet;
  /** The set that is adopted now. */
  readonly previous: RecipientSet | undefined;
  readonly countLeft: () => Promise<number>;
  /** Fails if another run has since adopted a different set. */
  readonly adopt: () => Promise<void>;
  readonly streamCases: () => AsyncGenerator<CaseToReseal>;
  /** Returns how many cases this completes: an office is sent many at once. */
  readonly storeCase: (previous: CaseToReseal, resealed: ResealedCase) => Promise<number>;
  /** Yields the refunds that are owed. */
  readonly streamRefunds: () => AsyncGenerator<RefundToReseal>;
  readonly storeRefund: (refund: RefundToReseal) => Promise<void>;
  /** Stores the rest and overwrites what the previous keys opened; returns how many it stored and how many remain. */
  readonly finish: () => Promise<{ readonly stored: number; readonly unsealed: number }>;
}
