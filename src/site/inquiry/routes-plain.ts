/** Receives the inquiry form from a browser without a script: seals it, or shows it again with its faults. */
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { createCase } from '#cases/intake/create-case.ts';
import { requireAcceptedTerms } from '#cases/intake/terms.ts';
import { type ArrivalSealer, createArrivalSealer } from '#cases/sealing/seal-on-arrival.ts';
import type { Language } from '#language/language.ts';
import { toShownTime } from '#language/timed-text.ts';
import { getTier, type TierName } from '#payments/tiers.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addSameOriginCheck } from '#platform/http/form-post.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import type { ProblemCode } from '#platform/problems.ts';
import { generateWords, type WordKeys } from '#seal/core/words.ts';
import { listAskedWordFaults } from '#seal/form/asked-words.ts';
import type { FormFault, FormFields } from '#seal/form/form-fields.ts';
import { type Inquiry, validateInquiry } from '#seal/form/inquiry.ts';
import { readInquiryFromForm, sortInquiryFaults, toInquiryFormFaults } from '#seal/form/inquiry-form.ts';
import { ASKED_WORD_CONTROLS, KEEP_DAYS_CONTROL } from '#seal/form/inquiry-sections.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import {
  DANGER_FIELD,
  IMMEDIATE_DANGER,
  INQUIRY_HIDDEN_FIELDS,
  INQUIRY_PATH,
  INQUIRY_SENT_PATH,
} from '#wire/inquiry-page.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import {
  clearFormSession,
  type InquirySender,
  type OpenInquiryForm,
  readInquirySender,
} from './form-session.ts';
import { MAX_FORM_TEXT, type MultipartForm, readMultipartForm } from './multipart.ts';
import { hasOpenFormInBrowser } from './open-form-line.ts';
import { renderInquiryPage } from './page.ts';
import { renderAlreadySentPage, renderInquirySentPage, renderInquiryUnsentPage } from './sent-page.ts';

/** After these, the typed text is shown again, because the form can be sent later or opened again. */
const RETRIED_PROBLEMS: readonly ProblemCode[] = [
  'overloaded',
  'sealing_keys_changing',
  'sealing_unavailable',
  'storage_unavailable',
  'terms_changed',
];

/** Needs its own Fastify scope, because it accepts only multipart forms. */
export async function addInquiryFormRoutes(app: App, services: Services, frame: PageFrame): Promise<void> {
  app.removeAllContentTypeParsers();
  addSameOriginCheck(app, services.addresses);
  await app.register(multipart, { throwFileSizeLimit: false });
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get(INQUIRY_SENT_PATH, { config }, async (request, reply) => {
    // A form that was refused leaves the browser at this address.
    if (await hasOpenFormInBrowser(services, request)) return reply.redirect(INQUIRY_PATH, 303);
    return sendPage(reply, frame, renderAlreadySentPage(negotiateLanguage(request)));
  });
  app.post(
    INQUIRY_SENT_PATH,
    {
      config: {
        ...config,
        upload: true,
        answerMs: httpLimits.uploadMs,
        budget: 'sentForms',
      },
      // The memory that an arriving form uses: its files pass through in pieces.
      bodyLimit: MAX_FORM_TEXT,
    },
    async (request, reply) => {
      const { page, redeemedSession, refusal } = await receiveInquiryForm(services, request).finally(() => {
        // Do not wait for the rest of a body that was not read.
        if (!request.raw.readableEnded) reply.header('connection', 'close');
      });
      if (refusal) reply.headers(refusal.headers);
      if (redeemedSession) await clearFormSession(services, request, reply, redeemedSession);
      return sendPage(reply, frame, page);
    },
  );
}

interface FormResponse {
  readonly page: HtmlPage;
  /** The session whose case is now open. */
  readonly redeemedSession: string | null;
  /** Why the form was not sent, if it can be sent later. */
  readonly refusal?: ServiceError;
}

async function receiveInquiryForm(services: Services, request: FastifyRequest): Promise<FormResponse> {
  const language = negotiateLanguage(request);
  /** Created at the first file of the form, or at its end if it has no file. */
  let sealing: { readonly sender: InquirySender; readonly sealer: ArrivalSealer | null } | undefined;
  let typed: FormFields = new Map();
  const resolveFormSealing = async (fields: FormFields) => {
    typed = fields;
    if (sealing) return sealing;
    const sender = await readInquirySender(services, request, fields);
    const { keys, form } = sender;
    sealing = { sender, sealer: keys && form && (await createArrivalSealer(services, keys, form)) };
    return sealing;
  };
  try {
    const form = await readMultipartForm(request, async (fields) => {
      const { sender, sealer } = await resolveFormSealing(fields);
      return { isKnown: isKnownSender(sender), sealer };
    });
    const { sender, sealer } = await resolveFormSealing(form.fields);
    const { existingCase, sessionId } = sender;
    if (form.isCut && isKnownSender(sender)) throw new ServiceError('payload_too_large');
    if (existingCase)
      return {
        page: renderSentPageFor(services, language, existingCase, form.fields),
        redeemedSession: sessionId,
      };
    if (!sender.form) {
      const error = new ServiceError(sender.refusal);
      return { page: renderInquiryUnsentPage(language, error, form.fields), redeemedSession: null };
    }
    const now = services.clock.now();
    const { inquiry, faults } = validateInquiryForm(form, sender.form, sender.keys, now);
    if (!inquiry || !sealer) {
      const kept = sender.keys ? keepWords(form.fields) : renewWords(form.fields);
      return {
        page: await renderInquiryPage(services, sender.form, { language, faults, ...kept }),
        redeemedSession: null,
      };
    }
    const opened = await openInquiryCase(services, sealer, inquiry, form, sender.form);
    return { page: renderSentPageFor(services, language, opened, form.fields), redeemedSession: sessionId };
  } catch (error) {
    const refusal = services.store.translate(error) ?? error;
    if (!(refusal instanceof ServiceError && RETRIED_PROBLEMS.includes(refusal.code))) throw error;
    return { page: renderInquiryUnsentPage(language, refusal, typed), redeemedSession: null, refusal };
  } finally {
    await sealing?.sealer?.discard();
  }
}

/** A sender who has paid for the form, or has sent it before. */
function isKnownSender({ form, existingCase }: InquirySender): boolean {
  return form !== null || existingCase !== null;
}

async function openInquiryCase(
  services: Pick<Services, 'clock' | 'paymentProvider' | 'keyring' | 'store' | 'sealingKeys' | 'terms'>,
  sealer: ArrivalSealer,
  inquiry: Inquiry,
  { fields }: MultipartForm,
  { sessionId }: OpenInquiryForm,
): Promise<Case> {
  // A value that the form does not offer counts as the default, the shortest retention.
  const keepDays =
    KEEP_DAYS.find((days) => String(days) === fields.get(KEEP_DAYS_CONTROL)) ?? DEFAULT_KEEP_DAYS;
  const termsVersion = fields.get(INQUIRY_HIDDEN_FIELDS.termsVersion) ?? '';
  await requireAcceptedTerms(services, termsVersion);
  const sealed = await sealer.finish(inquiry, { keepDays, termsVersion });
  return (await createCase(services, { sessionId }, sealed)).record;
}

/** Returns no inquiry if there are faults. */
function validateInquiryForm(
  { fields, files, faults, chosen }: MultipartForm,
  { order }: OpenInquiryForm,
  keys: WordKeys | null,
  now: number,
): { readonly inquiry: Inquiry | null; readonly faults: readonly FormFault[] } {
  const value = readInquiryFromForm(fields, { paymentRef: order.id, files });
  const { includesCall } = getTier(order.tier as TierName);
  const checked = validateInquiry(value, { includesCall, now });
  const allFaults = [
    ...faults,
    ...('errors' in checked ? toInquiryFormFaults(checked.errors, fields) : []),
    ...listWordFaults(fields, keys),
  ];
  if ('inquiry' in checked && allFaults.length === 0) return { inquiry: checked.inquiry, faults: [] };
  return {
    inquiry: null,
    faults: sortInquiryFaults(chosen > 0 ? [...allFaults, filesNotKeptFault] : allFaults),
  };
}

const filesNotKeptFault: FormFault = { field: 'files', message: { key: 'fault.files.not_kept' } };

function listWordFaults(fields: FormFields, keys: WordKeys | null): FormFault[] {
  if (!keys) return [{ field: ASKED_WORD_CONTROLS[0], message: { key: 'fault.words.damaged' } }];
  return listAskedWordFaults(fields, fields.get(WORDS_FIELD) ?? '');
}

/** What the form shows again. */
function keepWords(fields: FormFields) {
  return { fields, words: fields.get(WORDS_FIELD) ?? '' };
}

/** With new words, the form asks for two other words. */
function renewWords(fields: FormFields) {
  const asked: readonly string[] = ASKED_WORD_CONTROLS;
  return { fields: new Map([...fields].filter(([name]) => !asked.includes(name))), words: generateWords() };
}

function renderSentPageFor(
  { addresses }: Pick<Services, 'addresses'>,
  language: Language,
  { due_at: dueAt }: Case,
  fields: FormFields,
): HtmlPage {
  return renderInquirySentPage(language, addresses, {
    due: toShownTime(language, dueAt),
    words: fields.get(WORDS_FIELD) ?? '',
    immediate: fields.get(DANGER_FIELD) === IMMEDIATE_DANGER,
  });
}
