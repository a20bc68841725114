/** Cases to be sealed again, and the current keys, wherever they are. */
import type { RefundToReseal } from '#cases/sealing/reseal.ts';
import type { CaseToReseal, ResealedCase } from '#seal/case/resealed-case.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';

export interface ResealSource {
  /** Whom to seal to, as this machine says; never as an office says. */
  readonly holders: CaseKeyRecipients;
  readonly set: RecipientSet;
  /** The set that is adopted now. */
  readonly previous: RecipientSet | undefined;
  readonly countLeft: () => Promise<number>;
  /** Refused if another run has adopted a different one since. */
  readonly adopt: () => Promise<void>;
  readonly streamCases: () => AsyncGenerator<CaseToReseal>;
  /** Returns how many more cases are complete: an office gets many at once. */
  readonly storeCase: (previous: CaseToReseal, resealed: ResealedCase) => Promise<number>;
  /** Refunds that are owed. */
  readonly streamRefunds: () => AsyncGenerator<RefundToReseal>;
  readonly storeRefund: (refund: RefundToReseal) => Promise<void>;
  /** Stores the rest and overwrites what the previous keys opened; returns how many it stored, and how many remain. */
  readonly finish: () => Promise<{ readonly stored: number; readonly unsealed: number }>;
}
