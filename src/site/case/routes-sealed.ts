/** The case page with its script: the token finds the case, and only sealed content is exchanged. */
import { Readable } from 'node:stream';
import { addCaseMessage } from '#cases/messages.ts';
import { purgeCaseNow } from '#cases/purge.ts';
import { KEEP_DAYS } from '#cases/retention.ts';
import { readCaseForBuyer, readObjectBytes, requireCaseByLookup } from '#cases/sealed-case.ts';
import { updateKeepDaysById, withdrawCase } from '#cases/states.ts';
import { formatUtcTime } from '#cases/status-text.ts';
import { toBase64url } from '#platform/base64url.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addSameOriginCheck } from '#platform/http/form-post.ts';
import { httpLimits } from '#platform/http/limits.ts';
import { SEALED_FILE_KINDS, type SealedKind } from '#seal/header.ts';
import { computeLookupHash } from '#seal/words.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import {
  CaseFileRequestSchema,
  type CaseLookupRequest,
  CaseLookupRequestSchema,
  CaseMessageRequestSchema,
  createKeepDaysRequestSchema,
  type SealedCaseAnswer,
  type SealedObjectAnswer,
} from '#wire/case-requests.ts';
import { toCaseOverview } from './view-model.ts';

const TRIES_PER_MINUTE = 20;
/** A finding may have fifty files. */
const FILES_PER_MINUTE = 120;
const MESSAGE_BYTES = 128 * 1024;

const KeepDaysRequestSchema = createKeepDaysRequestSchema(KEEP_DAYS);

/** Needs a scope of its own, because only the script of our page may call it. */
export function addSealedCaseRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
): void {
  addSameOriginCheck(app, services.addresses);
  const config = { access: 'public', rateLimit: { max: TRIES_PER_MINUTE } } as const;
  const byToken = { config, schema: { body: CaseLookupRequestSchema } };
  app.post(SEALED_CASE_PATHS.open, byToken, async ({ body }) =>
    toSealedCaseAnswer(services, await requireCaseByToken(services, body)),
  );
  app.post(
    SEALED_CASE_PATHS.message,
    { config, bodyLimit: MESSAGE_BYTES, schema: { body: CaseMessageRequestSchema } },
    async ({ body }) => {
      const { id } = await requireCaseByToken(services, body);
      const sealed = Buffer.from(body.sealed, 'base64url');
      const call = body.call ? ({ callAct: 'book' } as const) : {};
      return await toSealedCaseAnswer(
        services,
        await addCaseMessage(services, id, { by: 'buyer', seq: body.seq, sealed, ...call }),
      );
    },
  );
  app.post(SEALED_CASE_PATHS.keep, { config, schema: { body: KeepDaysRequestSchema } }, async ({ body }) => {
    const { id } = await requireCaseByToken(services, body);
    return await toSealedCaseAnswer(services, await updateKeepDaysById(services, id, body.keep_days));
  });
  app.post(SEALED_CASE_PATHS.withdraw, byToken, async ({ body }) => {
    const { id } = await requireCaseByToken(services, body);
    return await toSealedCaseAnswer(services, await withdrawCase(services, id));
  });
  app.post(SEALED_CASE_PATHS.purge, byToken, async ({ body }, reply) => {
    await purgeCaseNow(services, (await requireCaseByToken(services, body)).id);
    return reply.code(204).send();
  });
  addSealedFileRoutes(app, services);
}

function addSealedFileRoutes(app: App, services: Pick<Services, 'clock' | 'store'>): void {
  const limits = { rateLimit: { max: FILES_PER_MINUTE }, answerMs: httpLimits.uploadMs };
  const config = { access: 'public', produces: '*/*', ...limits } as const;
  app.post(
    SEALED_CASE_PATHS.file,
    { config, schema: { body: CaseFileRequestSchema } },
    async ({ body }, reply) => {
      const record = await requireCaseByToken(services, body);
      const sealedCase = await readCaseForBuyer(services, record, services.clock.now());
      const object = sealedCase.objects.find(({ kind, seq }) => kind === body.kind && seq === body.seq);
      if (!object) throw new ServiceError('not_found');
      return reply
        .type('application/octet-stream')
        .header('content-length', object.size)
        .send(Readable.fromWeb(sealedCase.stream(object)));
    },
  );
}

async function requireCaseByToken(
  services: Pick<Services, 'clock' | 'store'>,
  { lookup_token: lookupToken }: CaseLookupRequest,
): Promise<Case> {
  return await requireCaseByLookup(services, computeLookupHash(lookupToken));
}

async function toSealedCaseAnswer(
  services: Pick<Services, 'clock' | 'store'>,
  record: Case,
): Promise<SealedCaseAnswer> {
  const now = services.clock.now();
  const sealedCase = await readCaseForBuyer(services, record, now);
  const toObjectAnswer = async (object: StoredObject): Promise<SealedObjectAnswer> => ({
    kind: object.kind,
    seq: object.seq,
    size: object.size,
    at: formatUtcTime(object.keptAt),
    ...(isFileKind(object.kind) ? {} : { sealed: toBase64url(await readObjectBytes(sealedCase, object)) }),
  });
  return {
    ...toCaseOverview(sealedCase.record, now),
    case_key: toBase64url(sealedCase.caseKey),
    objects: await Promise.all(sealedCase.objects.map(toObjectAnswer)),
  };
}

function isFileKind(kind: SealedKind): boolean {
  return (SEALED_FILE_KINDS as readonly SealedKind[]).includes(kind);
}
