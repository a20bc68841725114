/** The inquiry form as a browser without a script sends it: sealed on arrival, and shown again where it has faults. */
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { Arrival } from '#cases/seal-on-arrival.ts';
import { timeText } from '#cases/status-text.ts';
import { type TierName, tierOf } from '#payments/tiers.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { demandOwnPages } from '#platform/http/form-post.ts';
import { limits } from '#platform/http/limits.ts';
import { type FormFault, type FormFields, isTicked } from '#seal/form-fields.ts';
import { type Inquiry, validateInquiry } from '#seal/inquiry.ts';
import { formFaults, inFormOrder, inquiryFromForm, wordsNotKept } from '#seal/inquiry-form.ts';
import type { WordKeys } from '#seal/words.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { type Frame, HTML, type Page, sendPage } from '#view/page.ts';
import { choicesIn } from './choices.ts';
import { forgetSession, type OpenForm } from './form-session.ts';
import { type ArrivedForm, readForm } from './multipart.ts';
import { inquiryPageFor } from './page.ts';
import { type Sender, senderOf } from './sender.ts';
import { sentBefore, sentPage } from './sent-page.ts';
import { unsentPage } from './unsent-page.ts';

const SENDS_PER_MINUTE = 20;

/** In a scope of its own, which takes forms with files only. */
export async function addInquiryArrival(app: App, services: Services, frame: Frame): Promise<void> {
  app.removeAllContentTypeParsers();
  demandOwnPages(app, services.addresses);
  await app.register(multipart, { throwFileSizeLimit: false });
  const page = { access: 'public', produces: HTML } as const;
  app.get('/inquiry/sent', { config: page }, async (_request, reply) => sendPage(reply, frame, sentBefore));
  app.post(
    '/inquiry/sent',
    {
      config: { ...page, upload: true, rateLimit: { max: SENDS_PER_MINUTE } },
      handlerTimeout: limits.uploadMs,
    },
    async (request, reply) => {
      const { shown, spent } = await receive(services, request);
      if (spent) forgetSession(services, request, reply, spent);
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
interface Desk {
  readonly sender: Sender;
  readonly arrival: Arrival | null;
}

async function receive(services: Services, request: FastifyRequest): Promise<Received> {
  let desk: Desk | undefined;
  const settle = async (fields: FormFields) => {
    desk ??= await deskFor(services, await senderOf(services, request, fields));
    return desk;
  };
  try {
    const form = await readForm(request, async (fields) => (await settle(fields)).arrival);
    const { sender, arrival } = await settle(form.fields);
    const { known, sessionId } = sender;
    if (known) return { shown: sentTo(known, form.fields), spent: sessionId };
    if (!sender.form) {
      const error = new ServiceError(sessionId === null ? 'form_expired' : 'payment_required');
      return { shown: unsentPage(error, form.fields), spent: null };
    }
    const { inquiry, faults } = judged(form, sender.form, sender.keys);
    if (!inquiry || !arrival) {
      const words = sender.keys ? (form.fields.get('words') ?? '') : null;
      return {
        shown: await shownAgain(services, sender.form, { words, fields: form.fields, faults }),
        spent: null,
      };
    }
    const opened = await open(services, arrival, inquiry, form, sender.form);
    return { shown: sentTo(opened, form.fields), spent: sessionId };
  } finally {
    await desk?.arrival?.discard();
  }
}

async function deskFor(
  services: Pick<Services, 'clock' | 'keyring' | 'store' | 'sealingKeys'>,
  sender: Sender,
): Promise<Desk> {
  if (!sender.keys || !sender.form) return { sender, arrival: null };
  // Loaded at first use: docs/decisions/0010.
  const { beginArrival } = await import('#cases/seal-on-arrival.ts');
  return { sender, arrival: await beginArrival(services, sender.keys, sender.form) };
}

async function open(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  arrival: Arrival,
  inquiry: Inquiry,
  { fields }: ArrivedForm,
  { sessionId }: OpenForm,
): Promise<Case> {
  const { openCase } = await import('#cases/open-case.ts');
  return await openCase(services, { sessionId }, await arrival.finish(inquiry, choicesIn(fields)));
}

interface Judged {
  /** Null where there are faults. */
  readonly inquiry: Inquiry | null;
  readonly faults: readonly FormFault[];
}

function judged(
  { fields, files, faults, chosen }: ArrivedForm,
  { order }: OpenForm,
  keys: WordKeys | null,
): Judged {
  const value = inquiryFromForm(fields, { paymentRef: order.id, files });
  const checked = validateInquiry(value, tierOf(order.tier as TierName));
  const found = [
    ...faults,
    ...('errors' in checked ? formFaults(checked.errors, fields) : []),
    ...wordFaults(fields, keys),
  ];
  if ('inquiry' in checked && found.length === 0) return { inquiry: checked.inquiry, faults: [] };
  return { inquiry: null, faults: inFormOrder(chosen > 0 ? [...found, chooseAgain] : found) };
}

const chooseAgain: FormFault = {
  field: 'files',
  message: 'Choose your files again: your browser does not keep them',
};

function wordFaults(fields: FormFields, keys: WordKeys | null): FormFault[] {
  if (!keys)
    return [
      { field: 'words_kept', message: 'The words were damaged on their way; write down these new ones' },
    ];
  if (isTicked(fields, 'words_kept')) return [];
  return [wordsNotKept];
}

interface Tried {
  /** Null where new ones must be made. */
  readonly words: string | null;
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
}

/** With everything that was typed, and the same words; new ones were not written down yet, whatever was ticked. */
async function shownAgain(
  services: Pick<Services, 'keyring' | 'sealingKeys'>,
  form: OpenForm,
  tried: Tried,
): Promise<Page> {
  const { words, fields, faults } = tried;
  if (words !== null) return await inquiryPageFor(services, form, { words, fields, faults });
  const { newWords } = await import('#seal/words.ts');
  const unticked = new Map([...fields].filter(([name]) => name !== 'words_kept'));
  return await inquiryPageFor(services, form, { words: newWords(), fields: unticked, faults });
}

function sentTo({ due_at: due }: Case, fields: FormFields): Page {
  return sentPage({
    due: timeText(due),
    words: fields.get('words') ?? '',
    immediate: fields.get('safety_risk') === 'immediate',
  });
}
