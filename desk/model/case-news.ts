/** What happened while the investigator was away, derived from the facts of the changed cases. */
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { DAY_MS } from '#platform/durations.ts';
import { nameCase } from '#wire/case-name.ts';
import { type DeskStaff, nameAssignee } from './assignee-name.ts';
import { type CaseGist, capitalizeName, UNNAMED_BUYER } from './case-gist.ts';
import { toOpeningPath } from './case-queue.ts';
import { isEndedCase } from './due-clock.ts';

export interface NewsLine {
  readonly at: number;
  readonly id: string;
  readonly path: string;
  /** The text before and after the name of the case. */
  readonly before: string;
  readonly after: string;
}

/** As many as fit beside the list; the list itself has the rest. */
const MAX_LINES = 12;
/** As long before the purge as buyers are warned. */
const PURGE_WARNING_MS = 7 * DAY_MS;

interface NewsContext {
  readonly since: number;
  readonly now: number;
  readonly staff: DeskStaff;
  readonly gists: ReadonlyMap<string, CaseGist>;
}

/** The latest first. */
export function listNews(changed: readonly DeskQueueEntry[], context: NewsContext): NewsLine[] {
  return changed
    .flatMap((each) => describeChanges(each, context))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_LINES);
}

function describeChanges(each: DeskQueueEntry, { since, now, staff, gists }: NewsContext): NewsLine[] {
  const buyer = capitalizeName(gists.get(each.id)?.buyer ?? UNNAMED_BUYER);
  const who = nameAssignee(each.holder, staff);
  const assignee =
    each.holder === null ? 'It is unassigned.' : `${who} ${who === 'You' ? 'have' : 'has'} it.`;
  const lines: [time: string | null, before: string, after: string][] = [
    [each.submitted_at, '', ` arrived (${each.tier}).`],
    [each.unanswered_since, `${buyer} wrote in `, '.'],
    [each.delivered_at, each.holder === null ? 'The desk delivered ' : `${who} delivered `, '.'],
    [isEndedCase(each) ? null : each.due_at, '', ` is late. ${assignee}`],
  ];
  return lines.flatMap(([time, before, after]) => {
    const at = time === null ? Number.NaN : Date.parse(time);
    return at > since && at <= now ? [{ at, id: each.id, path: toOpeningPath(each), before, after }] : [];
  });
}

export type EndingCase = ReturnType<typeof listEndingCases>[number];

/** Cases whose purge is near, the next one first. */
export function listEndingCases(
  ended: readonly DeskQueueEntry[],
  { now, staff }: Pick<NewsContext, 'now' | 'staff'>,
) {
  return [...new Map(ended.map((each) => [each.id, each])).values()]
    .flatMap(({ id, purge_at: purgeAt, purge_by: by }) => {
      if (purgeAt === null) return [];
      // Null if the case reaches its own date.
      const askedBy = by === null ? null : nameAssignee(by, staff);
      return [{ id, name: nameCase(id), at: Date.parse(purgeAt), askedBy }];
    })
    .filter(({ at }) => at - now < PURGE_WARNING_MS)
    .toSorted((a, b) => a.at - b.at)
    .slice(0, MAX_LINES);
}
