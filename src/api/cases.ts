/** The cases of the caller: listing, reading, retention and withdrawal. */
import { Type } from 'typebox';
import { deriveCaseViewer, listViewerCases, requireOwnCase } from '#cases/access.ts';
import { DEFAULT_KEEP_DAYS, LONGER_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/retention.ts';
import { readCaseForBuyer } from '#cases/sealed-case.ts';
import { ensureWithdrawn, updateKeepDays } from '#cases/states.ts';
import { requireCaller } from '#oauth/guard.ts';
import { HOUR_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app.ts';
import { describeOperation } from '#platform/http/operation.ts';
import { closedObject } from '#platform/http/shapes.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { formatDurationInWords } from '#platform/spelled-duration.ts';
import type { Services } from '#services.ts';
import {
  CaseDetail,
  CaseParams,
  CaseSummary,
  KeepDaysSchema,
  toCaseDetail,
  toCaseSummary,
} from './case-view.ts';
import { createPageQuerySchema, NextCursor, parsePageQuery, setNextPageLink } from './list-pages.ts';

const pageSizes = { default: 20, max: 100 } as const;
const Cases = Type.Object(
  { cases: Type.Array(CaseSummary), next: NextCursor },
  { ...closedObject, title: 'CaseList' },
);
const Retention = Type.Object(
  { keep_days: KeepDaysSchema },
  { ...closedObject, title: 'Retention', examples: [{ keep_days: LONGER_KEEP_DAYS[0] }] },
);

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
        querystring: createPageQuerySchema(pageSizes),
        response: { 200: Cases },
      },
    },
    async (request, reply) => {
      const pageRequest = parsePageQuery(request.query, pageSizes);
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const { rows, next } = await readListPage(
        pageRequest,
        (page) => listViewerCases(services, viewer, page),
        ({ submitted_at }) => submitted_at,
      );
      setNextPageLink(request, reply, services.addresses, next);
      const now = services.clock.now();
      return { cases: rows.map((record) => toCaseSummary(record, now)), ...(next === null ? {} : { next }) };
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
            'The words open the key of the case, and the key opens everything else. `openPlainCase` opens a case with `sealed_by: server` for callers that cannot.',
        }),
        params: CaseParams,
        response: { 200: CaseDetail },
      },
    },
    async (request) => {
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const now = services.clock.now();
      const record = await requireOwnCase(services.store.records, request.params.case, viewer, now);
      return toCaseDetail(await readCaseForBuyer(services, record, now), now);
    },
  );
}

function addCaseChangeRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
): void {
  const { clock, store } = services;
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
        response: { 200: CaseSummary },
      },
    },
    async (request) => {
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const updated = await store.transaction(async (records) =>
        updateKeepDays(
          records,
          await requireOwnCase(records, request.params.case, viewer, clock.now()),
          request.body.keep_days,
          clock.now(),
        ),
      );
      return toCaseSummary(updated, clock.now());
    },
  );
  app.delete(
    '/cases/:case',
    {
      config: { access: 'case:write', problems },
      schema: {
        ...describeOperation({
          operationId: 'withdrawCase',
          tag: 'cases',
          summary: `Withdraws a case before its delivery; it is purged ${formatDurationInWords(WITHDRAWN_HOURS * HOUR_MS)} later`,
          description:
            'Withdrawing a case again changes nothing. It refunds nothing by itself: /refunds says when the price is paid back.',
        }),
        params: CaseParams,
        response: { 200: CaseSummary },
      },
    },
    async (request) => {
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const withdrawn = await store.transaction(async (records) =>
        ensureWithdrawn(
          records,
          await requireOwnCase(records, request.params.case, viewer, clock.now()),
          clock.now(),
        ),
      );
      return toCaseSummary(withdrawn, clock.now());
    },
  );
}
