/** The cases of the caller: listing, reading, the sealed files, retention and withdrawal. */
import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { deriveCaseViewer, requireOwnCase } from '#cases/access.ts';
import { recordOpening } from '#cases/desk/week-counts.ts';
import { DEFAULT_KEEP_DAYS, LONGER_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/ending/retention.ts';
import { readContentsForBuyer, readOwnCase } from '#cases/sealing/sealed-case.ts';
import { ensureWithdrawn, updateKeepDays } from '#cases/states.ts';
import { requireCaller } from '#oauth/guard.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { describeAnswer, UNEXPECTED_BODY_PROBLEMS } from '#platform/http/operation.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewer, listCasesForViewer } from '#store/cases/cases.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';
import { hashDocument, listsEtag, matchesEtag } from '#view/document-version.ts';
import {
  CaseDetail,
  CaseIdSchema,
  CaseParams,
  CaseSummary,
  caseExample,
  KeepDaysSchema,
  toCaseDetail,
  toCaseSummary,
} from './case-view.ts';
import {
  createPageInputSchema,
  createPageQuerySchema,
  NextCursor,
  PAGE_HEADERS,
  type PageQuery,
  parsePageQuery,
  setNextPageLink,
} from './list-pages.ts';

type CaseServices = Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>;

const pageSizes = { default: 20, max: 100 } as const;
export const CaseListInput = createPageInputSchema(pageSizes);
const CaseList = describeObject(
  {
    cases: Type.Array(CaseSummary, { maxItems: pageSizes.max, description: 'Newest first.' }),
    next: NextCursor,
  },
  { title: 'CaseList' },
);

const Retention = describeObject(
  { keep_days: KeepDaysSchema },
  { title: 'Retention', examples: [{ keep_days: LONGER_KEEP_DAYS[0] }] },
);

const ConditionalHeader = Type.Object({
  'if-none-match': Type.Optional(Type.String({ description: 'The `ETag` of an earlier response.' })),
});

const UnchangedHeader = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'The `ETag` of `getCase`: withdraws the case only if it is still so.' }),
  ),
});

const withdrawnExample = {
  ...caseExample,
  state: 'withdrawn',
  purge_at: toIsoTime(Date.parse(caseExample.submitted_at) + WITHDRAWN_HOURS * HOUR_MS),
} as const;

export function addCaseReadRoutes(app: App, services: CaseServices): void {
  app.get(
    '/cases',
    {
      config: { access: 'case:read' },
      schema: {
        operationId: 'listCases',
        tags: ['cases'],
        summary: 'Lists the cases that the caller may see, newest first',
        description:
          'With the token of a person: the cases that this client submitted for that person, and the case whose words the person signed in with. With a token of the client: those that it submitted for itself.',
        querystring: createPageQuerySchema(pageSizes),
        response: { 200: describeAnswer(CaseList, { headers: PAGE_HEADERS }) },
      },
    },
    async (request, reply) => {
      const page = await listCallerCases(services, requireCaller(request), request.query);
      setNextPageLink(request, reply, services.addresses, page.next);
      return page;
    },
  );
  app.get(
    '/cases/:case',
    {
      config: { access: 'case:read', problems: ['case_unknown'] },
      schema: {
        operationId: 'getCase',
        tags: ['cases'],
        summary: 'Gets a case: its state, its sealed key and its sealed files',
        description:
          'The words open the key of the case, and the key opens everything else. `openPlainCase` opens a case with `sealed_by: server` for callers that cannot. `case_key` is long: to wait for a change, send `If-None-Match`, or ask `listCases`, which leaves it out.',
        params: CaseParams,
        headers: ConditionalHeader,
        response: {
          200: describeAnswer(CaseDetail, {
            headers: { ETag: 'For `If-None-Match` of the next request, or `If-Match` of `withdrawCase`.' },
          }),
          304: Type.Null(),
        },
      },
    },
    async (request, reply) => {
      const detail = await readCallerCase(services, requireCaller(request), request.params.case);
      const etag = computeCaseEtag(detail);
      reply.header('etag', etag);
      // The key of the case makes up most of the response, and it does not change while a program polls.
      if (matchesEtag(request, etag)) return await reply.code(304).send(null);
      return detail;
    },
  );
}

export function addCaseChangeRoutes(app: App, services: CaseServices): void {
  const problems = ['case_unknown', 'case_state', 'case_changed'] as const;
  app.put(
    '/cases/:case/retention',
    {
      config: { access: 'case:write', problems },
      schema: {
        operationId: 'setRetention',
        tags: ['cases'],
        summary: 'Sets how long the case is kept after its delivery',
        description: `Everything is purged ${DEFAULT_KEEP_DAYS} days after the delivery unless a longer time is set.`,
        params: CaseParams,
        body: Retention,
        response: {
          200: describeAnswer(CaseSummary, { example: { ...caseExample, keep_days: LONGER_KEEP_DAYS[0] } }),
        },
      },
    },
    async (request) => {
      const { params, body } = request;
      return await setCallerRetention(services, requireCaller(request), params.case, body.keep_days);
    },
  );
  app.delete(
    '/cases/:case',
    {
      config: {
        access: 'case:write',
        problems: [...problems, 'precondition_failed', ...UNEXPECTED_BODY_PROBLEMS],
      },
      schema: {
        operationId: 'withdrawCase',
        tags: ['cases'],
        summary: `Withdraws a case before its delivery; it is purged ${formatDurationInWords(WITHDRAWN_HOURS * HOUR_MS)} later`,
        description:
          'Withdrawing a case again changes nothing. If its state was still `received`, the price is paid back without asking; later it is not, and `If-Match` withdraws it only as it was read. The page /refunds says more. After the delivery the person can delete it, on the page `/case` with the words.',
        params: CaseParams,
        headers: UnchangedHeader,
        response: { 200: describeAnswer(CaseSummary, { example: withdrawnExample }) },
      },
    },
    async (request) => {
      const { params, headers } = request;
      return await withdrawCallerCase(services, requireCaller(request), params.case, headers['if-match']);
    },
  );
}

export async function listCallerCases(
  services: CaseServices,
  caller: RecordOwner,
  query: PageQuery,
): Promise<Static<typeof CaseList>> {
  const pageRequest = parsePageQuery(query, pageSizes);
  const viewer = await deriveCaseViewer(services, caller);
  const now = services.clock.now();
  const { rows, next } = await readListPage(
    pageRequest,
    (page) => listCasesForViewer(services.store.records, viewer, page, now),
    ({ submitted_at }) => submitted_at,
  );
  return { cases: rows.map((record) => toCaseSummary(record, now)), ...(next === null ? {} : { next }) };
}

export async function readCallerCase(
  services: CaseServices,
  caller: RecordOwner,
  caseId: string,
): Promise<Static<typeof CaseDetail>> {
  const viewer = await deriveCaseViewer(services, caller);
  const now = services.clock.now();
  return toCaseDetail(await readOwnCase(services.store, caseId, viewer, now), now);
}

function computeCaseEtag(detail: Static<typeof CaseDetail>): string {
  return `"${hashDocument(JSON.stringify(detail))}"`;
}

export async function setCallerRetention(
  services: CaseServices,
  caller: RecordOwner,
  caseId: string,
  keepDays: Static<typeof KeepDaysSchema>,
): Promise<Static<typeof CaseSummary>> {
  return await updateCallerCase(services, caller, caseId, (records, record, now) =>
    updateKeepDays(records, record, keepDays, now),
  );
}

/** `condition` is the If-Match header; it is ignored for a case that is already withdrawn. */
export async function withdrawCallerCase(
  services: CaseServices,
  caller: RecordOwner,
  caseId: string,
  condition?: string,
): Promise<Static<typeof CaseSummary>> {
  return await updateCallerCase(services, caller, caseId, async (records, record, now, viewer) => {
    if (condition !== undefined && record.state !== 'withdrawn') {
      const { shredKeys } = services.store;
      const detail = toCaseDetail(await readOwnCase({ records, shredKeys }, caseId, viewer, now), now);
      if (!listsEtag(condition, computeCaseEtag(detail))) throw new ServiceError('precondition_failed');
    }
    return await ensureWithdrawn(records, record, now);
  });
}

async function updateCallerCase(
  services: CaseServices,
  caller: RecordOwner,
  caseId: string,
  change: (records: Records, record: Case, now: number, viewer: CaseViewer) => Promise<Case>,
): Promise<Static<typeof CaseSummary>> {
  const { clock, store } = services;
  const viewer = await deriveCaseViewer(services, caller);
  const changed = await store.transaction(async (records) =>
    change(records, await requireOwnCase(records, caseId, viewer, clock.now()), clock.now(), viewer),
  );
  return toCaseSummary(changed, clock.now());
}

const CaseFileParams = describeObject({
  case: CaseIdSchema,
  file: Type.String({ ...IdSchema, description: 'The `id` of the file, as in `getCase`.' }),
});

export function addCaseFileRoutes(app: App, services: CaseServices): void {
  app.get(
    '/cases/:case/files/:file',
    {
      config: {
        access: 'case:read',
        produces: OCTET_STREAM,
        answerMs: httpLimits.uploadMs,
        budget: 'caseFiles',
        problems: ['case_unknown', 'not_found'],
      },
      schema: {
        operationId: 'getCaseFile',
        tags: ['cases'],
        summary: 'Downloads a sealed file of the case, such as the finding',
        description: '`getCase` lists the files. Each is an age file that the key of the case opens.',
        params: CaseFileParams,
        response: {
          200: {
            description: 'An age file.',
            content: {
              [OCTET_STREAM]: { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const now = services.clock.now();
      const record = await requireOwnCase(services.store.records, request.params.case, viewer, now);
      const { objects, stream } = await readContentsForBuyer(services, record, now);
      const object = objects.find(({ id }) => id === request.params.file);
      if (!object) throw new ServiceError('not_found', { detail: 'The case has no file with this id.' });
      await recordOpening(services, record, [object]);
      return reply
        .type(OCTET_STREAM)
        .header('content-length', object.size)
        .send(Readable.fromWeb(stream(object)));
    },
  );
}
