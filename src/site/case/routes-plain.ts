/** The case page without a script: the server opens the case with the words and handles its forms. */
import type { FastifyRequest } from 'fastify';
import {
  findCaseWithWords,
  openFoundCase,
  openFoundFile,
  refreshBuyerCase,
} from '#cases/messages/buyer-actions.ts';
import { getLocalContent } from '#content/site-content.ts';
import type { Language } from '#language/language.ts';
import { formatPurgedSentence } from '#language/timed-text.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { sendOpenedFile } from '#platform/http/opened-file.ts';
import { SEALED_FILE_KINDS } from '#seal/core/header.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import { explainRefusedWords } from '#seal/form/word-suggestions.ts';
import type { Services } from '#services.ts';
import { addOpenFormLine, createLinedPages, prepareLinedPage } from '#site/inquiry/open-form-line.ts';
import { toErrorSentence } from '#site/message-page.ts';
import { createStaticPage, sendStaticPage } from '#view/document.ts';
import { sayFaults } from '#view/form.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { renderCaseErasedPage, renderCaseLookupPage, renderPurgedPage } from './find-page.ts';
import { NEWER_FIELD } from './forms.ts';
import { renderCasePage } from './page.ts';
import { type CaseAction, caseActions } from './plain-actions.ts';

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
  const lookupPages = createLinedPages((addLine) =>
    createStaticPage(frame, (language) => addLine(renderCaseLookupPage(language), language)),
  );
  app.get('/case', { config }, async (request, reply) =>
    sendStaticPage(request, reply, await prepareLinedPage(services, lookupPages, request)),
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

function toFormFields(body: unknown): FormFields {
  return new Map(body as URLSearchParams);
}

async function openCasePage(
  services: Pick<Services, 'clock' | 'content' | 'sealing' | 'store'>,
  fields: FormFields,
  language: Language,
): Promise<HtmlPage> {
  const newer = /^\d{1,3}$/.test(fields.get(NEWER_FIELD) ?? '') ? Number(fields.get(NEWER_FIELD)) : 0;
  const found = await findCaseWithWords(services, fields.get(WORDS_FIELD) ?? '');
  const { opened, words } = await openFoundCase(services, found, { newer });
  return renderCasePage({
    opened,
    words,
    now: services.clock.now(),
    language,
    refunds: getLocalContent(services.content, language).refundSentences,
  });
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
  const after = 'faults' in outcome ? before : await refreshBuyerCase(services, before);
  return renderCasePage({
    opened: after.opened,
    words: before.words,
    now: services.clock.now(),
    language,
    refunds: getLocalContent(services.content, language).refundSentences,
    ...('faults' in outcome ? { faults: sayFaults(language, outcome.faults) } : outcome),
    // A form that was not accepted keeps the typed text.
    ...('faults' in outcome || 'refused' in outcome ? { fields } : {}),
  });
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
  const fields = toFormFields(request.body);
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
