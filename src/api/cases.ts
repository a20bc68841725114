/** The caller's own cases: how far they have come, how long they are kept, and taking one back. */
import { Type } from 'typebox';
import { demandOwnCase, ownCases, viewerOf } from '#cases/access.ts';
import { keepFor, withdrawOnce } from '#cases/states.ts';
import { callerOf } from '#oauth/guard.ts';
import type { App } from '#platform/http/app.ts';
import { described } from '#platform/http/operation.ts';
import { closed } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { CaseDetail, CaseParams, CaseSummary, detailOf, KeepDaysText, summaryOf } from './case-view.ts';
import { cursorOf, linkNext, Next, pageQuery, placeOf } from './list-pages.ts';

const sizes = { usual: 20, most: 100 } as const;
const Cases = Type.Object({ cases: Type.Array(CaseSummary), next: Next }, closed);
const Retention = Type.Object({ keep_days: KeepDaysText }, { ...closed, examples: [{ keep_days: 90 }] });

export function addCases(app: App, services: Pick<Services, 'clock' | 'keyring' | 'store'>): void {
  addReading(app, services);
  addChanging(app, services);
}

function addReading(app: App, services: Pick<Services, 'keyring' | 'store'>): void {
  app.get(
    '/cases',
    {
      config: { access: 'case:read' },
      schema: {
        ...described({
          operationId: 'listCases',
          tag: 'cases',
          summary: 'The cases that the caller may see, newest first',
          description:
            'Those that this client submitted, those that were submitted for the same user, and the one whose words that user signed in with.',
        }),
        querystring: pageQuery(sizes),
        response: { 200: Cases },
      },
    },
    async (request, reply) => {
      const { limit = String(sizes.usual), after } = request.query;
      const size = Number(limit);
      const place = after === undefined ? null : placeOf(after);
      const found = await ownCases(services, await viewerOf(services, callerOf(request)), {
        // One more than asked tells whether there is a next page.
        limit: size + 1,
        ...(place ? { after: { submitted_at: place.at, id: place.id } } : {}),
      });
      const cases = found.slice(0, size);
      const last = cases.at(-1);
      const next = found.length > size && last ? cursorOf({ at: last.submitted_at, id: last.id }) : undefined;
      linkNext(request, reply, next);
      return { cases: cases.map(summaryOf), ...(next === undefined ? {} : { next }) };
    },
  );
  app.get(
    '/cases/:case',
    {
      config: { access: 'case:read', problems: ['case_unknown'] },
      schema: {
        ...described({
          operationId: 'getCase',
          tag: 'cases',
          summary: 'A case: how far it has come, its sealed key and its sealed files',
          description: 'The words open the key, and the key opens everything else.',
        }),
        params: CaseParams,
        response: { 200: CaseDetail },
      },
    },
    async (request) => {
      // Loaded at first use: docs/decisions/0010.
      const { readCaseFile } = await import('#cases/sealed-case.ts');
      const viewer = await viewerOf(services, callerOf(request));
      const found = await demandOwnCase(services.store.records, request.params.case, viewer);
      return await detailOf(await readCaseFile(services, found));
    },
  );
}

function addChanging(app: App, services: Pick<Services, 'clock' | 'keyring' | 'store'>): void {
  const { clock, store } = services;
  const problems = ['case_unknown', 'case_state', 'case_changed'] as const;
  app.put(
    '/cases/:case/retention',
    {
      config: { access: 'case:write', problems },
      schema: {
        ...described({
          operationId: 'setRetention',
          tag: 'cases',
          summary: 'Asks to keep the case longer after its delivery, or takes that back',
          description: 'Everything is purged 30 days after the delivery unless more is asked for.',
        }),
        params: CaseParams,
        body: Retention,
        response: { 200: CaseSummary },
      },
    },
    async (request) => {
      const viewer = await viewerOf(services, callerOf(request));
      const kept = await store.transaction(async (records) =>
        keepFor(records, await demandOwnCase(records, request.params.case, viewer), request.body.keep_days),
      );
      return summaryOf(kept);
    },
  );
  app.delete(
    '/cases/:case',
    {
      config: { access: 'case:write', problems },
      schema: {
        ...described({
          operationId: 'withdrawCase',
          tag: 'cases',
          summary: 'Withdraws a case before its delivery; it is purged a day later',
          description: 'Asked again, nothing changes. The payment is not given back.',
        }),
        params: CaseParams,
        response: { 200: CaseSummary },
      },
    },
    async (request) => {
      const viewer = await viewerOf(services, callerOf(request));
      const withdrawn = await store.transaction(async (records) =>
        withdrawOnce(records, await demandOwnCase(records, request.params.case, viewer), clock.now()),
      );
      return summaryOf(withdrawn);
    },
  );
}
