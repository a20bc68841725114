/** The inquiry form as a browser without a script sends it: sealed on arrival, and shown again where it has faults. */

import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { createCase } from '#cases/create-case.ts';
import { type ArrivalSealer, createArrivalSealer } from '#cases/seal-on-arrival.ts';
import { formatUtcTime } from '#cases/status-text.ts';
import { getTier, type TierName } from '#payments/tiers.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addSameOriginCheck } from '#platform/http/form-post.ts';
import { httpLimits } from '#platform/http/limits.ts';
import { type FormFault, type FormFields, isTicked } from '#seal/form-fields.ts';
import { type Inquiry, validateInquiry } from '#seal/inquiry.ts';
import {
  readInquiryFromForm,
  sortInquiryFaults,
  toInquiryFormFaults,
  wordsNotKeptFault,
} from '#seal/inquiry-form.ts';
import { WORDS_KEPT_CONTROL } from '#seal/inquiry-sections.ts';
import { generateWords, type WordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { HTML_MEDIA_TYPE, type Page, type PageFrame, sendPage } from '#view/page.ts';
import { DANGER_FIELD, IMMEDIATE_DANGER, INQUIRY_SENT_PATH } from '#wire/inquiry-page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { parseInquiryChoices } from './choices.ts';
import { clearFormSession, type OpenInquiryForm } from './form-session.ts';
import { type MultipartForm, readMultipartForm } from './multipart.ts';
import { renderInquiryPage } from './page.ts';
import { type InquirySender, readInquirySender } from './sender.ts';
import { inquiryAlreadySentPage, renderInquirySentPage } from './sent-page.ts';
import { renderInquiryUnsentPage } from './unsent-page.ts';

const SENDS_PER_MINUTE = 20;

/** In a scope of its own, which takes forms with files only. */
export async function addInquiryFormRoutes(app: App, services: Services, frame: PageFrame): Promise<void> {
  app.removeAllContentTypeParsers();
  addSameOriginCheck(app, services.addresses);
  await app.register(multipart, { throwFileSizeLimit: false });
  const page = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get(INQUIRY_SENT_PATH, { config: page }, async (_request, reply) =>
    sendPage(reply, frame, inquiryAlreadySentPage),
  );
  app.post(
    INQUIRY_SENT_PATH,
    {
      config: { ...page, upload: true, rateLimit: { max: SENDS_PER_MINUTE } },
      handlerTimeout: httpLimits.uploadMs,
    },
    async (request, reply) => {
      const { shown, spent } = await receiveInquiryForm(services, request);
      if (spent) clearFormSession(services, request, reply, spent);
      return sendPage(reply, frame, shown);
    },
  );
}

interface Received {
  readonly shown: Page;
  /** The session whose case is open now. */
  readonly spent: string | null;
}

/** What the files of a form were sealed for; settled at the first of them, or at the end where there is none. */
interface FormSealing {
  readonly sender: InquirySender;
  readonly arrival: ArrivalSealer | null;
}

async function receiveInquiryForm(services: Services, request: FastifyRequest): Promise<Received> {
  let desk: FormSealing | undefined;
  const resolveFormSealing = async (fields: FormFields) => {
    desk ??= await createFormSealing(services, await readInquirySender(services, request, fields));
    return desk;
  };
  try {
    const form = await readMultipartForm(
      request,
      async (fields) => (await resolveFormSealing(fields)).arrival,
    );
    const { sender, arrival } = await resolveFormSealing(form.fields);
    const { known, sessionId } = sender;
    if (known) return { shown: renderSentPageFor(known, form.fields), spent: sessionId };
    if (!sender.form) {
      const error = new ServiceError(sessionId === null ? 'form_expired' : 'payment_required');
      return { shown: renderInquiryUnsentPage(error, form.fields), spent: null };
    }
    const { inquiry, faults } = validateInquiryForm(form, sender.form, sender.keys);
    if (!inquiry || !arrival) {
      const words = sender.keys ? (form.fields.get(WORDS_FIELD) ?? '') : null;
      return {
        shown: await renderFormAgain(services, sender.form, { words, fields: form.fields, faults }),
        spent: null,
      };
    }
    const opened = await openInquiryCase(services, arrival, inquiry, form, sender.form);
    return { shown: renderSentPageFor(opened, form.fields), spent: sessionId };
  } finally {
    await desk?.arrival?.discard();
  }
}

async function createFormSealing(
  services: Pick<Services, 'clock' | 'keyring' | 'store' | 'sealingKeys'>,
  sender: InquirySender,
): Promise<FormSealing> {
  if (!sender.keys || !sender.form) return { sender, arrival: null };
  return { sender, arrival: await createArrivalSealer(services, sender.keys, sender.form) };
}

async function openInquiryCase(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  arrival: ArrivalSealer,
  inquiry: Inquiry,
  { fields }: MultipartForm,
  { sessionId }: OpenInquiryForm,
): Promise<Case> {
  return await createCase(
    services,
    { sessionId },
    await arrival.finish(inquiry, parseInquiryChoices(fields)),
  );
}

interface Judged {
  /** Null where there are faults. */
  readonly inquiry: Inquiry | null;
  readonly faults: readonly FormFault[];
}

function validateInquiryForm(
  { fields, files, faults, chosen }: MultipartForm,
  { order }: OpenInquiryForm,
  keys: WordKeys | null,
): Judged {
  const value = readInquiryFromForm(fields, { paymentRef: order.id, files });
  const checked = validateInquiry(value, getTier(order.tier as TierName));
  const found = [
    ...faults,
    ...('errors' in checked ? toInquiryFormFaults(checked.errors, fields) : []),
    ...listWordFaults(fields, keys),
  ];
  if ('inquiry' in checked && found.length === 0) return { inquiry: checked.inquiry, faults: [] };
  return { inquiry: null, faults: sortInquiryFaults(chosen > 0 ? [...found, chooseAgain] : found) };
}

const chooseAgain: FormFault = {
  field: 'files',
  message: 'Choose your files again: your browser does not keep them',
};

function listWordFaults(fields: FormFields, keys: WordKeys | null): FormFault[] {
  if (!keys)
    return [
      {
        field: WORDS_KEPT_CONTROL,
        message: 'The words were damaged on their way; write down these new ones',
      },
    ];
  if (isTicked(fields, WORDS_KEPT_CONTROL)) return [];
  return [wordsNotKeptFault];
}

interface Tried {
  /** Null where new ones must be made. */
  readonly words: string | null;
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
}

/** With everything that was typed, and the same words; new ones were not written down yet, whatever was ticked. */
async function renderFormAgain(
  services: Pick<Services, 'keyring' | 'sealingKeys'>,
  form: OpenInquiryForm,
  tried: Tried,
): Promise<Page> {
  const { words, fields, faults } = tried;
  if (words !== null) return await renderInquiryPage(services, form, { words, fields, faults });
  const unticked = new Map([...fields].filter(([name]) => name !== WORDS_KEPT_CONTROL));
  return await renderInquiryPage(services, form, { words: generateWords(), fields: unticked, faults });
}

function renderSentPageFor({ due_at: due }: Case, fields: FormFields): Page {
  return renderInquirySentPage({
    due: formatUtcTime(due),
    words: fields.get(WORDS_FIELD) ?? '',
    immediate: fields.get(DANGER_FIELD) === IMMEDIATE_DANGER,
  });
}
