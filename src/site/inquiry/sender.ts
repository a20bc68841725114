/** Identifies the sender of a form by its hidden fields: the words and the payment. */
import type { FastifyRequest } from 'fastify';
import { refreshOrderBySession } from '#payments/fulfil.ts';
import { findOrderRefusal, isOrderOnHold, type OrderRefusal } from '#payments/redeem.ts';
import { awaitOrNull } from '#seal/core/seal-error.ts';
import type { WordKeys } from '#seal/core/words.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import type { Services } from '#services.ts';
import { type Case, findCaseByLookup } from '#store/cases/cases.ts';
import { INQUIRY_HIDDEN_FIELDS } from '#wire/inquiry-page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { findFormSession, hasOpenForm, type OpenInquiryForm } from './form-session.ts';

export interface InquirySender {
  /** Null if the words in the form are damaged. */
  readonly keys: WordKeys | null;
  /** The case that these words already opened, if the form is sent again. */
  readonly existingCase: Case | null;
  /** Null if the form belongs to no payment of this browser. */
  readonly sessionId: string | null;
  /** Null if the payment cannot open a case, or the case already exists. */
  readonly form: OpenInquiryForm | null;
  /** Why the payment cannot open a case, if that is why there is no form. */
  readonly refusal: 'form_expired' | OrderRefusal;
}

export async function readInquirySender(
  services: Services,
  request: FastifyRequest,
  fields: FormFields,
): Promise<InquirySender> {
  const keys = await awaitOrNull(services.sealing.deriveWordKeys(fields.get(WORDS_FIELD) ?? ''));
  const existingCase = keys
    ? await findCaseByLookup(services.store.records, keys.lookupHash, services.clock.now())
    : undefined;
  const sessionId = findFormSession(services, request, fields.get(INQUIRY_HIDDEN_FIELDS.token) ?? '');
  const order = sessionId === null || existingCase ? null : await refreshOrderBySession(services, sessionId);
  const isPaid = hasOpenForm(order) && order.payment === 'paid';
  const form = sessionId !== null && isPaid && !isOrderOnHold(services, order) ? { sessionId, order } : null;
  const refusal = sessionId === null ? 'form_expired' : findOrderRefusal(order);
  return { keys, existingCase: existingCase ?? null, sessionId, form, refusal };
}
