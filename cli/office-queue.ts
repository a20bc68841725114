/** Lists the cases of an office by the views that its door has; what no view has is chosen here. */
import { isHeldDelivery } from '#cases/buyer-view.ts';
import type { DeskView } from '#cases/desk-queue.ts';
import { OPEN_STATES, WRITABLE_STATES } from '#cases/states.ts';
import { readOfficeQueue } from '#desk-program/office/connect.ts';
import type { OfficeQueue } from '#desk-program/office/office.ts';
import { walkPages } from '#desk-program/office/page-walk.ts';
import { encodePageCursor, type PageCursor, type PageRequest } from '#platform/page-cursor.ts';
import type { Case } from '#store/cases.ts';
import type { CaseState } from '#store/column-values.ts';
import type { CaseChoice } from '#store/desk-queue.ts';
import type { ListedCase } from './case-source.ts';
import { toOfficeRecord } from './office-case.ts';
import type { OfficeLink } from './office-link.ts';

/** As many as the door gives at once. */
const PAGE_CASES = 200;
/** Two hundred thousand cases; an office that goes on after that has no end. */
const MAX_PAGES = 1_000;

/** In the order and by the rules of the database. */
export async function listOfficeCases(
  link: OfficeLink,
  choice: CaseChoice,
  page: PageRequest,
): Promise<ListedCase[]> {
  const found = new Map<string, ListedCase>();
  for (const view of listViews(choice, link.holder))
    for (const listed of await listChosenCases(link, { ...choice, view }, page))
      found.set(listed.record.id, listed);
  return [...found.values()].toSorted(compareByDue).slice(0, page.limit);
}

/** The smallest ones that have everything of the choice together. */
function listViews(choice: CaseChoice, investigator: string): DeskView[] {
  const { states, holder, unanswered, dueBefore, withHeld } = choice;
  const hasOnly = (known: readonly CaseState[]) => states.every((state) => known.includes(state));
  if (unanswered && hasOnly(WRITABLE_STATES)) return ['unanswered'];
  const ended: DeskView[] = hasOnly(OPEN_STATES) ? [] : ['ended'];
  if (!withHeld && !states.some((state) => OPEN_STATES.includes(state))) return ended;
  if (holder === investigator) return ['mine', ...ended];
  if (holder === null && !withHeld) return ['nobodys', ...ended];
  return [dueBefore === undefined ? 'open' : 'late', ...ended];
}

async function listChosenCases(
  link: OfficeLink,
  { view, ...choice }: CaseChoice & { readonly view: DeskView },
  { limit, after }: PageRequest,
): Promise<ListedCase[]> {
  const found: ListedCase[] = [];
  for await (const { now, ...listed } of walkView(link, view, { tier: choice.tier, after })) {
    if (isChosen(listed.record, { ...choice, view }, now)) found.push(listed);
    if (found.length >= limit) break;
  }
  return found;
}

async function* walkView(
  link: OfficeLink,
  view: DeskView,
  {
    tier,
    after: start,
  }: { readonly tier?: string | undefined; readonly after?: PageCursor | undefined } = {},
): AsyncGenerator<ListedCase & { readonly now: number }> {
  const walk = { list: 'queue', maxPages: MAX_PAGES, start: start && encodePageCursor(start) };
  const fetchPage = (after: string | undefined) =>
    readOfficeQueue(link, { view, limit: PAGE_CASES, ...(tier && { tier }), ...(after && { after }) });
  for await (const queue of walkPages(walk, fetchPage)) {
    const now = Date.parse(queue.now);
    for (const listed of toListedCases(queue)) yield { ...listed, now };
  }
}

export function toListedCases({ cases }: OfficeQueue): ListedCase[] {
  return cases.map((facts) => ({ record: toOfficeRecord(facts), messages: facts.messages }));
}

function isChosen(record: Case, choice: CaseChoice & { readonly view: DeskView }, now: number): boolean {
  const { states, withHeld, unanswered, dueBefore, tier, view } = choice;
  const isHeld = withHeld === true && isHeldDelivery(record, now);
  // The office knows who has left: their cases are nobody's.
  const holder = view === 'nobodys' ? undefined : choice.holder;
  return (
    (states.includes(record.state) || isHeld) &&
    (holder === undefined || record.holder === holder) &&
    (!unanswered || record.unanswered_since !== null) &&
    (dueBefore === undefined || record.due_at < dueBefore) &&
    (tier === undefined || record.tier === tier)
  );
}

function compareByDue({ record: one }: ListedCase, { record: other }: ListedCase): number {
  return one.due_at - other.due_at || (one.id < other.id ? -1 : 1);
}
