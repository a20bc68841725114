/** The queue of the desk over HTTP: a page of a view, or what has changed since. */
import { Type } from 'typebox';
import { readDeskQueue } from '#cases/desk/desk-queue.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { describeObject } from '#platform/http/shapes.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { type DeskQueue, DeskQueueQuerySchema } from '#wire/desk-cases.ts';
import { toDeskCase } from './case-view.ts';
import type { DeskServices } from './desk-services.ts';
import { requireInvestigator, toDeskViewer } from './guard.ts';
import { parseDeskPage } from './lists.ts';

/** Matches 1 to 200, because query parameters are strings. */
const LIMIT = '^([1-9][0-9]?|1[0-9][0-9]|200)$';

const Query = describeObject({
  ...DeskQueueQuerySchema.properties,
  changed_since: Type.Optional(Type.String({ maxLength: 40 })),
  limit: Type.Optional(Type.String({ pattern: LIMIT })),
});

export function addDeskQueueRoutes(scope: App, services: DeskServices): void {
  scope.get(
    '/cases',
    { config: { access: 'desk' }, schema: { querystring: Query } },
    async (request): Promise<DeskQueue> => {
      const { view, tier, changed_since: since, begins, ...page } = request.query;
      const { cases, next, counts, now } = await readDeskQueue(services, {
        ...toDeskViewer(requireInvestigator(request)),
        view,
        tier,
        changedSince: since === undefined ? undefined : parseTime(since),
        beginnings: begins?.split(','),
        page: parseDeskPage(page),
      });
      return {
        cases: cases.map((queued) => toDeskCase(queued, now)),
        next,
        counts: { ...counts },
        now: toIsoTime(now),
      };
    },
  );
}

/** RFC 3339 in UTC, as all our times are. */
function parseTime(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ServiceError('validation_failed', {
    errors: [{ parameter: 'changed_since', detail: 'must be a time such as 2026-11-15T09:00:00.000Z' }],
  });
}
