/** The case page with its script: the token finds the case, and only sealed content is exchanged. */
import { Readable } from 'node:stream';
import { setImmediate as waitForTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { recordOpening } from '#cases/desk/week-counts.ts';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { deriveCaseUploader } from '#cases/messages/message-files.ts';
import { countReadObjects, createReadCursor } from '#cases/messages/message-window.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { removeNoticeAddress, setNoticeAddress } from '#cases/notices/notice-address.ts';
import {
  readContentsForBuyer,
  readEnvelopes,
  requireCaseByLookup,
  requireCaseKey,
} from '#cases/sealing/sealed-case.ts';
import { updateKeepDaysById, withdrawCase } from '#cases/states.ts';
import { getLocalContent } from '#content/site-content.ts';
import type { Language } from '#language/language.ts';
import { toShownTime } from '#language/timed-text.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { addSameOriginCheck } from '#platform/http/form-post.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { countFitting } from '#platform/page-cursor.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { isSealedFileKind } from '#seal/core/header.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { computeLookupHash } from '#seal/core/words.ts';
import type { Services } from '#services.ts';
import { addPieceRoute } from '#site/piece-route.ts';
import type { Case } from '#store/cases/cases.ts';
import type { StoredObject } from '#store/cases/objects.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { LOOKUP_TOKEN_HEADER, SEALED_CASE_PATHS } from '#wire/case-page.ts';
import {
  CaseFileRequestSchema,
  type CaseLookupRequest,
  CaseLookupRequestSchema,
  CaseMessageRequestSchema,
  type CaseReadRequest,
  CaseReadRequestSchema,
  KeepDaysRequestSchema,
  NoticeAddressRequestSchema,
  type SealedCaseAnswer,
  type SealedObjectAnswer,
} from '#wire/case-requests.ts';
import { toCaseOverview } from './view-model.ts';

const MESSAGE_BYTES = 128 * 1024;
const READ_AT_ONCE = 32;

/** Needs its own Fastify scope, because only the script of our page may call it. */
export function addSealedCaseRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'content' | 'keyring' | 'store'>,
): void {
  addSameOriginCheck(app, services.addresses);
  const config = { access: 'public', budget: 'words' } as const;
  const read = { config, schema: { body: CaseReadRequestSchema } };
  /** Returns the case, after applying `change` if there is one. */
  const answer = async (request: TokenRequest, change?: (id: string) => Promise<Case>) => {
    const record = await requireCaseByToken(services, request.body);
    return await toSealedCaseAnswer(services, change ? await change(record.id) : record, request);
  };
  app.post(SEALED_CASE_PATHS.open, read, (request) => answer(request));
  app.post(SEALED_CASE_PATHS.news, { ...read, config: { ...config, budget: 'news' } }, (request) =>
    answer(request),
  );
  app.post(
    SEALED_CASE_PATHS.message,
    { config, bodyLimit: MESSAGE_BYTES, schema: { body: CaseMessageRequestSchema } },
    async (request) => {
      const { body } = request;
      const sealed = Buffer.from(body.sealed, 'base64url');
      const call = body.call ? ({ callAct: 'propose' } as const) : {};
      const uploads = (body.files ?? []).map(({ upload, size }) => ({ id: upload, size }));
      return await answer(request, (id) => {
        const files = { uploads, uploader: deriveCaseUploader(services.keyring, id) };
        return addCaseMessage(services, id, { by: 'buyer', seq: body.seq, sealed, files, ...call });
      });
    },
  );
  app.post(SEALED_CASE_PATHS.keep, { config, schema: { body: KeepDaysRequestSchema } }, (request) =>
    answer(request, (id) => updateKeepDaysById(services, id, request.body.keep_days)),
  );
  const address = { config, schema: { body: NoticeAddressRequestSchema } };
  app.post(SEALED_CASE_PATHS.notify, address, (request) => {
    const told = { address: request.body.address, language: negotiateLanguage(request).tag };
    return answer(request, (id) => setNoticeAddress(services, id, told));
  });
  app.post(SEALED_CASE_PATHS.silence, read, (request) =>
    answer(request, (id) => removeNoticeAddress(services, id)),
  );
  app.post(SEALED_CASE_PATHS.withdraw, read, (request) =>
    answer(request, (id) => withdrawCase(services, id)),
  );
  app.post(
    SEALED_CASE_PATHS.purge,
    { config, schema: { body: CaseLookupRequestSchema } },
    async ({ body }, reply) => {
      await purgeCaseNow(services, (await requireCaseByToken(services, body)).id);
      return reply.code(204).send();
    },
  );
  addSealedFileRoutes(app, services);
  addPieceRoute(app, services, {
    path: SEALED_CASE_PATHS.uploads,
    requireSender: (request) => requireUploadCase(services, request),
    findUploader: async (request) =>
      deriveCaseUploader(services.keyring, (await requireUploadCase(services, request)).id),
  });
}

function addSealedFileRoutes(app: App, services: Pick<Services, 'clock' | 'store'>): void {
  const config = {
    access: 'public',
    produces: '*/*',
    budget: 'caseFiles',
    answerMs: httpLimits.uploadMs,
  } as const;
  app.post(
    SEALED_CASE_PATHS.file,
    { config, schema: { body: CaseFileRequestSchema } },
    async ({ body }, reply) => {
      const record = await requireCaseByToken(services, body);
      const contents = await readContentsForBuyer(services, record, services.clock.now());
      const object = contents.objects.find(({ kind, seq }) => kind === body.kind && seq === body.seq);
      if (!object) throw new ServiceError('not_found');
      return reply
        .type(OCTET_STREAM)
        .header('content-length', object.size)
        .send(Readable.fromWeb(contents.stream(object)));
    },
  );
}

async function requireCaseByToken(
  services: Pick<Services, 'clock' | 'store'>,
  { lookup_token: lookupToken }: CaseLookupRequest,
): Promise<Case> {
  return await requireCaseByLookup(services, computeLookupHash(lookupToken));
}

async function requireUploadCase(
  services: Pick<Services, 'clock' | 'store'>,
  { headers }: FastifyRequest,
): Promise<Case> {
  return await requireCaseByLookup(services, readLookupHash(headers[LOOKUP_TOKEN_HEADER]));
}

function readLookupHash(token: string | readonly string[] | undefined): string {
  try {
    return computeLookupHash(String(token));
  } catch (error) {
    if (error instanceof SealError) throw new ServiceError('case_unknown');
    throw error;
  }
}

type ReadingRequest = Pick<FastifyRequest, 'raw'> & { readonly body: Pick<CaseReadRequest, 'after'> };
type TokenRequest = ReadingRequest & { readonly body: CaseLookupRequest };

async function toSealedCaseAnswer(
  services: Pick<Services, 'clock' | 'content' | 'store'>,
  record: Case,
  request: ReadingRequest,
): Promise<SealedCaseAnswer> {
  const language = negotiateLanguage(request);
  const now = services.clock.now();
  const { objects, ...contents } = await readContentsForBuyer(services, record, now);
  const read = countReadObjects(objects, request.body.after);
  const unread = objects.slice(read);
  const end = read + countFitting(unread.map(countSealedBytes), httpLimits.answeredBytes);
  await recordOpening(services, record, objects.slice(read, end));
  return {
    ...toCaseOverview(contents.record, {
      now,
      language,
      refunds: getLocalContent(services.content, language).refundSentences,
    }),
    ...(read === 0 ? { case_key: toBase64url(await requireCaseKey(services, record)) } : {}),
    objects: await readObjectAnswers(services, objects.slice(read, end), language),
    cursor: createReadCursor(objects.slice(0, end)),
    more: end < objects.length,
  };
}

/** Reads a few at a time, so that a long case does not keep other requests waiting. */
async function readObjectAnswers(
  services: Pick<Services, 'store'>,
  objects: readonly StoredObject[],
  language: Language,
): Promise<SealedObjectAnswer[]> {
  const answers: SealedObjectAnswer[] = [];
  for (let start = 0; start < objects.length; start += READ_AT_ONCE) {
    if (start > 0) await waitForTurn();
    const batch = objects.slice(start, start + READ_AT_ONCE);
    const envelopes = batch.filter(({ kind }) => !isSealedFileKind(kind));
    const sealed = await readEnvelopes(services, envelopes);
    for (const object of batch) {
      const { kind, seq, size, keptAt } = object;
      const bytes = sealed[envelopes.indexOf(object)];
      const at = toShownTime(language, keptAt);
      answers.push({ kind, seq, size, at, ...(bytes && { sealed: toBase64url(bytes) }) });
    }
  }
  return answers;
}

/** Files are not in the answer. */
function countSealedBytes({ kind, size }: StoredObject): number {
  return isSealedFileKind(kind) ? 0 : size;
}
