/** The cases of the caller: listing, reading, retention and withdrawal. */
import { Type } from 'typebox';
import { DEFAULT_KEEP_DAYS, LONGER_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/ending/retention.ts';
import { requireCaller } from '#oauth/guard.ts';
import { HOUR_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app.ts';
import { describeAnswer, describeOperation, UNEXPECTED_BODY_PROBLEMS } from '#platform/http/operation.ts';
import { describeObject } from '#platform/http/shapes.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import type { Services } from '#services.ts';
import { matchesEtag } from '#view/document-version.ts';
import {
  CaseList,
  CasePageQuery,
  computeCaseEtag,
  listCallerCases,
  readCallerCase,
  setCallerRetention,
  withdrawCallerCase,
} from './caller-cases.ts';
import { CaseDetail, CaseParams, CaseSummary, caseExample, KeepDaysSchema } from './case-view.ts';
import { PAGE_HEADERS, setNextPageLink } from './list-pages.ts';

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

export function addCaseRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
): void {
  addCaseReadRoutes(app, services);
  addCaseChangeRoutes(app, services);
}

function addCaseReadRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
): void {
  app.get(
    '/cases',
    {
      config: { access: 'case:read' },
      schema: {
        ...describeOperation({
          operationId: 'listCases',
          tag: 'cases',
          summary: 'Lists the cases that the caller may see, newest first',
          description:
            'With the token of a person: the cases that this client submitted for that person, and the case whose words the person signed in with. With a token of the client: those that it submitted for itself.',
        }),
        querystring: CasePageQuery,
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
        ...describeOperation({
          operationId: 'getCase',
          tag: 'cases',
          summary: 'Gets a case: its state, its sealed key and its sealed files',
          description:
            'The words open the key of the case, and the key opens everything else. `openPlainCase` opens a case with `sealed_by: server` for callers that cannot. `case_key` is long: to wait for a change, send `If-None-Match`, or ask `listCases`, which leaves it out.',
        }),
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

function addCaseChangeRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
): void {
  const problems = ['case_unknown', 'case_state', 'case_changed'] as const;
  app.put(
    '/cases/:case/retention',
    {
      config: { access: 'case:write', problems },
      schema: {
        ...describeOperation({
          operationId: 'setRetention',
          tag: 'cases',
          summary: 'Sets how long the case is kept after its delivery',
          description: `Everything is purged ${DEFAULT_KEEP_DAYS} days after the delivery unless a longer time is set.`,
        }),
        params: CaseParams,
        body: Retention,
        response: {
          200: describeAnswer(CaseSummary, { example: { ...caseExample, keep_days: LONGER_KEEP_DAYS[0] } }),
        },
      },
    },
    async (request) =>
      await setCallerRetention(services, requireCaller(request), {
        caseId: request.params.case,
        keepDays: request.body.keep_days,
      }),
  );
  app.delete(
    '/cases/:case',
    {
      config: {
        access: 'case:write',
        problems: [...problems, 'precondition_failed', ...UNEXPECTED_BODY_PROBLEMS],
      },
      schema: {
        ...describeOperation({
          operationId: 'withdrawCase',
          tag: 'cases',
          summary: `Withdraws a case before its delivery; it is purged ${formatDurationInWords(WITHDRAWN_HOURS * HOUR_MS)} later`,
          description:
            'Withdrawing a case again changes nothing. If its state was still `received`, the price is paid back without asking; later it is not, and `If-Match` withdraws it only as it was read. The page /refunds says more. After the delivery the person can delete it, on the page `/case` with the words.',
        }),
        params: CaseParams,
        headers: UnchangedHeader,
        response: { 200: describeAnswer(CaseSummary, { example: withdrawnExample }) },
      },
    },
    async (request) =>
      await withdrawCallerCase(
        services,
        requireCaller(request),
        request.params.case,
        request.headers['if-match'],
      ),
  );
}
