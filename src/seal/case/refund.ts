/** A refund that the desk owes, `refund.v1`: names the payment; sealed without a case to desk and recovery key. */
import { type AgeIdentity, type AgeRecipient, openSealedBytes, sealBytes } from '../core/age.ts';
import type { CaseKeyRecipients } from '../core/case-key.ts';
import { checkFrame, decodeFrameBody, encodeFrame } from '../core/frame.ts';
import type { SealedHeader } from '../core/header.ts';
import { awaitOrNull, SealError } from '../core/seal-error.ts';
import { createRecordRule, createTextRule, type FieldError, type RuleValue } from '../form/field-rules.ts';

/** Outlives the case, so nothing in it identifies the case. */
const refundRule = createRecordRule({
  payment_ref: createTextRule({ min: 1, max: 200 }),
  tier: createTextRule({ min: 1, max: 40 }),
  /** The day, such as 2026-11-18. */
  declined_on: createTextRule({ min: 10, max: 10 }),
});

export type Refund = RuleValue<typeof refundRule>;

const header: SealedHeader = { kind: 'refund.v1', case: '', seq: 0 };

export async function sealRefund(refund: Refund, recipients: readonly AgeRecipient[]): Promise<Uint8Array> {
  return await sealBytes(encodeFrame(header, refund), recipients);
}

/** Reseals to the current people; null if the refund does not open with this key. */
export async function resealRefund(
  sealed: Uint8Array,
  identity: AgeIdentity,
  { desk, recovery }: CaseKeyRecipients,
): Promise<Uint8Array | null> {
  const refund = await openRefundOrNull(sealed, identity);
  return refund && (await sealRefund(refund, [...desk, recovery]));
}

export async function openRefundOrNull(sealed: Uint8Array, identity: AgeIdentity): Promise<Refund | null> {
  return await awaitOrNull(openRefund(sealed, identity));
}

/** Desk keys cannot sign: any program that knows the public keys could have written the refund. */
async function openRefund(sealed: Uint8Array, identity: AgeIdentity): Promise<Refund> {
  const frame = await openSealedBytes(sealed, identity);
  checkFrame(frame, header);
  const errors: FieldError[] = [];
  const refund = refundRule(decodeFrameBody(frame).value, '', errors);
  if (!refund || errors.length > 0) throw new SealError('tampered');
  return refund;
}
