/** Finds the payment that a form belongs to: the cookie holds the sessions, and the form's token selects one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refreshOrderBySession } from '#payments/fulfil.ts';
import { findOrderRefusal, isOrderOnHold, type OrderRefusal } from '#payments/redeem.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import { awaitOrNull } from '#seal/core/seal-error.ts';
import type { WordKeys } from '#seal/core/words.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import type { Services } from '#services.ts';
import { type Case, findCaseByLookup } from '#store/cases/cases.ts';
import { deleteDraftHalf } from '#store/cases/draft-keys.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { Order } from '#store/orders/orders.ts';
import { FORM_TOKEN_HEADER, INQUIRY_HIDDEN_FIELDS } from '#wire/inquiry-page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import {
  addSessionToFormCookie,
  FORM_COOKIE_MAX_AGE_SECONDS,
  FORM_COOKIE_NAME,
  FORM_COOKIE_OPTIONS,
  listFormCookieSessions,
  removeSessionFromFormCookie,
} from './form-cookie.ts';

/** A paid session whose form may be shown. */
export interface OpenInquiryForm {
  readonly sessionId: string;
  readonly order: Order;
}

/** Protects against CSRF: another site can make a browser send the cookie, but does not know this token. */
export function deriveFormToken(keyring: Keyring, sessionId: string): string {
  return keyring.tag('form token', sessionId);
}

function findFormSession(
  services: Pick<Services, 'clock' | 'keyring'>,
  { cookies }: FastifyRequest,
  token: string,
): string | null {
  const sessions = listFormCookieSessions(services, cookies[FORM_COOKIE_NAME]);
  return (
    sessions.find((session) => isEqualInConstantTime(deriveFormToken(services.keyring, session), token)) ??
    null
  );
}

/** The first session in the cookie that can still be used; else one that is on hold, or whose payment failed. */
export async function findOpenInquiryForm(
  services: Services,
  { cookies }: FastifyRequest,
): Promise<OpenInquiryForm | 'payment failed' | null> {
  let heldForm: OpenInquiryForm | null = null;
  let hasFailed = false;
  for (const sessionId of listFormCookieSessions(services, cookies[FORM_COOKIE_NAME])) {
    const order = await refreshOrderBySession(services, sessionId);
    hasFailed ||= order?.payment === 'failed';
    if (!hasOpenForm(order)) continue;
    if (!isOrderOnHold(services, order)) return { sessionId, order };
    heldForm ??= { sessionId, order };
  }
  return heldForm ?? (hasFailed ? 'payment failed' : null);
}

export function hasOpenForm(order: Order | null): order is Order {
  return (
    order !== null && order.redeemed === 0 && (order.payment === 'paid' || order.payment === 'processing')
  );
}

/** From now on, the form's address opens the form in this browser. */
export function keepFormInBrowser(
  services: Pick<Services, 'clock' | 'keyring'>,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
): FastifyReply {
  const value = addSessionToFormCookie(services, request.cookies[FORM_COOKIE_NAME], sessionId);
  return reply.setCookie(FORM_COOKIE_NAME, value, {
    ...FORM_COOKIE_OPTIONS,
    maxAge: FORM_COOKIE_MAX_AGE_SECONDS,
  });
}

/** Called once the case is open or the buyer closes the form: then nothing in the browser leads to payment or draft. */
export async function clearFormSession(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
): Promise<void> {
  // A failure here must not hide that the inquiry is stored. What cannot be deleted now expires within a day.
  await deleteDraftHalf(services.store.records, { keyring: services.keyring, sessionId }).catch(
    () => undefined,
  );
  const value = removeSessionFromFormCookie(services, request.cookies[FORM_COOKIE_NAME], sessionId);
  if (value === null) reply.clearCookie(FORM_COOKIE_NAME, FORM_COOKIE_OPTIONS);
  else
    reply.setCookie(FORM_COOKIE_NAME, value, { ...FORM_COOKIE_OPTIONS, maxAge: FORM_COOKIE_MAX_AGE_SECONDS });
}

/** The session of a request from the form's script. */
export function findSenderSession(
  services: Pick<Services, 'clock' | 'keyring'>,
  request: FastifyRequest,
): string | null {
  const token = request.headers[FORM_TOKEN_HEADER];
  return typeof token === 'string' ? findFormSession(services, request, token) : null;
}

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

/** Identifies the sender of a form by its hidden fields: the words and the payment. */
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
