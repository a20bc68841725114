/** The case page without a script: the server opens the case with the words and handles its forms. */
import type { FastifyRequest } from 'fastify';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import {
  addBuyerMessage,
  type BuyerCase,
  findCaseWithWords,
  openFoundCase,
  openFoundFile,
  refreshBuyerCase,
  type ShownThread,
} from '#cases/messages/buyer-actions.ts';
import { removeNoticeAddress, setNoticeAddress } from '#cases/notices/notice-address.ts';
import { updateKeepDaysById, withdrawCase } from '#cases/states.ts';
import { getLocalContent } from '#content/site-content.ts';
import type { Language } from '#language/language.ts';
import { formatPurgedSentence } from '#language/timed-text.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { sendOpenedFile } from '#platform/http/opened-file.ts';
import { MAX_MESSAGES, validateCaseMessage } from '#seal/case/message.ts';
import { SEALED_FILE_KINDS } from '#seal/core/header.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import { type FormFault, type FormFields, isTicked, readLineField } from '#seal/form/form-fields.ts';
import { isCallForm, readMessageFromForm, toMessageFormFaults } from '#seal/form/message-form.ts';
import { explainRefusedWords } from '#seal/form/word-suggestions.ts';
import type { Services } from '#services.ts';
import { addOpenFormLine, createLinedPages } from '#site/inquiry/open-form-line.ts';
import { toErrorSentence } from '#site/message-page.ts';
import { sayFaults } from '#view/form.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { createStaticPage, sendStaticPage } from '#view/static-page.ts';
import { CASE_FORM_FIELDS } from '#wire/case-page.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { renderCaseErasedPage, renderCaseLookupPage, renderPurgedPage } from './find-page.ts';
import { NEWER_FIELD } from './forms.ts';
import { type CasePageInput, renderCasePage } from './page.ts';

/** Needs its own Fastify scope, because it accepts only form posts. */
export function addCasePageRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'content' | 'keyring' | 'sealing' | 'store'>,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  const opening = { config: { ...config, budget: 'words' } } as const;
  // Contains nothing personal, so it may be compressed; the page of an open case is not.
  const lookupPages = createLinedPages(services, (addLine) =>
    createStaticPage(frame, (language) => addLine(renderCaseLookupPage(language), language)),
  );
  app.get('/case', { config }, async (request, reply) =>
    sendStaticPage(request, reply, await lookupPages.prepareForBrowser(request)),
  );
  app.post('/case', opening, async (request, reply) =>
    sendPage(
      reply,
      frame,
      await withRefusalPage(services, request, (fields, language) =>
        openCasePage(services, fields, language),
      ),
    ),
  );
  for (const [name, action] of Object.entries(caseActions))
    app.post(`/case/${name}`, opening, async (request, reply) => {
      const acted = await withRefusalPage(services, request, (fields, language) =>
        performCaseAction(services, action, fields, language),
      );
      return sendPage(reply, frame, acted);
    });
  const file = { config: { ...opening.config, answerMs: httpLimits.uploadMs } };
  app.post('/case/file', file, async (request, reply) => {
    const result = await withRefusalPage(services, request, (fields) => openCaseFile(services, fields));
    return 'content' in result ? sendOpenedFile(reply, result) : sendPage(reply, frame, result);
  });
}

async function openCasePage(
  services: Pick<Services, 'clock' | 'content' | 'sealing' | 'store'>,
  fields: FormFields,
  language: Language,
): Promise<HtmlPage> {
  const newer = readCount(fields, NEWER_FIELD) ?? 0;
  const found = await findCaseWithWords(services, fields.get(WORDS_FIELD) ?? '');
  return renderOpenedCase(services, await openFoundCase(services, found, { newer }), { language });
}

function renderOpenedCase(
  { clock, content }: Pick<Services, 'clock' | 'content'>,
  { opened, words }: BuyerCase,
  shown: Omit<CasePageInput, 'opened' | 'words' | 'now' | 'refunds'>,
): HtmlPage {
  const refunds = getLocalContent(content, shown.language).refundSentences;
  return renderCasePage({ opened, words, now: clock.now(), refunds, ...shown });
}

async function performCaseAction(
  services: Pick<Services, 'addresses' | 'clock' | 'content' | 'keyring' | 'sealing' | 'store'>,
  action: CaseAction,
  fields: FormFields,
  language: Language,
): Promise<HtmlPage> {
  const found = await findCaseWithWords(services, fields.get(WORDS_FIELD) ?? '');
  const before = await openFoundCase(services, found, { newer: 0 });
  const outcome = await action(services, before, fields, language).catch((error) =>
    toNotice(error, language),
  );
  if ('erased' in outcome) return renderCaseErasedPage(language);
  // A form that was not accepted keeps the typed text.
  if ('faults' in outcome)
    return renderOpenedCase(services, before, {
      language,
      fields,
      faults: sayFaults(language, outcome.faults),
    });
  const after = await refreshBuyerCase(services, before);
  const { news } = outcome;
  return renderOpenedCase(services, after, { language, news, ...('refused' in outcome && { fields }) });
}

/** An action that the case no longer allows is reported above the case in its current state. */
function toNotice(error: unknown, language: Language): { news: string; refused: true } {
  if (error instanceof ServiceError && error.status === 409)
    return { news: toErrorSentence(error, language), refused: true };
  throw error;
}

async function openCaseFile(
  services: Pick<Services, 'clock' | 'sealing' | 'store'>,
  fields: FormFields,
): Promise<OpenedSealedFile> {
  const kind = SEALED_FILE_KINDS.find((known) => known === fields.get('kind'));
  const seq = Number(fields.get('seq'));
  if (!kind || !Number.isSafeInteger(seq)) throw new ServiceError('not_found');
  const found = await findCaseWithWords(services, fields.get(WORDS_FIELD) ?? '');
  return await openFoundFile(services, found, { kind, seq });
}

async function withRefusalPage<Result>(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  request: FastifyRequest,
  open: (fields: FormFields, language: Language) => Promise<Result>,
): Promise<Result | HtmlPage> {
  const fields = new Map(request.body as URLSearchParams);
  const language = negotiateLanguage(request);
  try {
    return await open(fields, language);
  } catch (error) {
    const refusal = findRefusal(error);
    if (refusal !== null) {
      const page = renderCaseLookupPage(language, sayText(language, refusal));
      return await addOpenFormLine(services, page, request);
    }
    if (!(error instanceof ServiceError && error.code === 'case_purged')) throw error;
    return renderPurgedPage(language, formatPurgedSentence(language.say, error.purgedOn));
  }
}

/** The page never repeats the words, so they must be typed again; it only suggests similar ones. */
function findRefusal(error: unknown): UnsaidText | null {
  if (error instanceof ServiceError && error.code === 'case_unknown') return { key: 'problem.case_unknown' };
  return explainRefusedWords(error);
}

/** News to show, or the faults of the form; `erased` if nothing is left to show. */
type CaseActionOutcome =
  | { readonly news: string }
  | { readonly faults: readonly FormFault[] }
  | { readonly erased: true };

type CaseAction = (
  services: Pick<Services, 'clock' | 'keyring' | 'sealing' | 'store'>,
  buyerCase: BuyerCase,
  fields: FormFields,
  language: Language,
) => Promise<CaseActionOutcome>;

/** Form handlers by the last part of the path. */
const caseActions: Readonly<Record<string, CaseAction>> = {
  message: async (services, buyerCase, fields, { say }) => {
    const checked = validateCaseMessage(readMessageFromForm(fields), { now: services.clock.now() });
    if ('errors' in checked) return { faults: toMessageFormFaults(checked.errors, fields) };
    await addBuyerMessage(services, buyerCase, checked.message, {
      // Without these fields, the form does not count as sent before, and the buyer as having seen no messages.
      seq: readCount(fields, 'seq') ?? MAX_MESSAGES,
      seen: readCount(fields, 'seen') ?? 0,
    });
    return { news: say(isCallForm(fields) ? 'case.call.sent' : 'case.write.sent') };
  },
  keep: async (services, { opened }, fields, { say }) => {
    const days = KEEP_DAYS.find((option) => String(option) === fields.get(CASE_FORM_FIELDS.keep));
    if (days === undefined) return refuseField('keep', say('case.keep.unknown'));
    await updateKeepDaysById(services, opened.record.id, days);
    return { news: say('case.keep.saved', { days }) };
  },
  notify: async (services, { opened }, fields, { say, tag }) => {
    const address = { address: readLineField(fields, CASE_FORM_FIELDS.notify), language: tag };
    try {
      await setNoticeAddress(services, opened.record.id, address);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'validation_failed')) throw error;
      return refuseField('notify', say('notice.address.invalid'));
    }
    return { news: say('notice.saved') };
  },
  silence: async (services, { opened }, _fields, { say }) => {
    await removeNoticeAddress(services, opened.record.id);
    return { news: say('notice.stopped') };
  },
  withdraw: async (services, { opened }, fields, { say }) => {
    if (!isTicked(fields, CASE_FORM_FIELDS.withdraw))
      return refuseField('withdraw', say('case.withdraw.unsure'));
    await withdrawCase(services, opened.record.id);
    return { news: say('case.withdraw.done') };
  },
  purge: async (services, { opened }, fields, { say }) => {
    const word = say('case.purge.word').toUpperCase();
    if (readLineField(fields, CASE_FORM_FIELDS.purge).toUpperCase() !== word)
      return refuseField('purge', say('case.purge.unsure', { word }));
    await purgeCaseNow(services, opened.record.id);
    return { erased: true };
  },
};

function readCount(fields: FormFields, name: keyof ShownThread | typeof NEWER_FIELD): number | undefined {
  const text = readLineField(fields, name);
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
}

function refuseField(form: keyof typeof CASE_FORM_FIELDS, message: string): CaseActionOutcome {
  return { faults: [{ field: CASE_FORM_FIELDS[form], message }] };
}
