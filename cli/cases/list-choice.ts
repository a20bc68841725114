/** The options that filter a list of cases, and the cases of an office that match them. */
import type { DeskView } from '#cases/desk/desk-queue.ts';
import { OPEN_STATES } from '#cases/states.ts';
import { PAGE_CASES } from '#desk/model/case-queue.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { walkPages } from '#desk/office/waiting-lists.ts';
import { tierNames } from '#payments/tiers.ts';
import { encodePageCursor, type PageCursor, type PageRequest } from '#platform/page-cursor.ts';
import { formatNumberInWords } from '#platform/text/spelled-duration.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import { createUsageFailure, type OptionValues } from '../command.ts';
import type { OfficeLink } from '../office-link.ts';

export const tierOption = ['--tier TIER', `one of ${tierNames.join(', ')}`] as const;

export const queueChoiceOptions = [
  [
    '--state STATE',
    `${CASE_STATES.join(', ')},
or all; may be repeated (default: the first ${formatNumberInWords(OPEN_STATES.length)}, and those with a delivery or decline on hold)`,
    'repeated',
  ],
  tierOption,
  ['--late', 'only open cases that are past their due time'],
  ['--unanswered', 'only cases awaiting reply (the buyer wrote last), delivered ones included'],
  ['--unassigned', 'only unassigned cases'],
  ['--mine', 'only cases assigned to your key'],
  ['--new', 'only cases that your key has not opened since the buyer last wrote'],
] as const;

type CaseChoice = ReturnType<typeof parseListChoice>;

export function parseListChoice(values: OptionValues<typeof queueChoiceOptions>) {
  const { mine = false, unassigned = false, late = false, unanswered: awaitingReply = false } = values;
  if (mine && unassigned) throw createUsageFailure('--mine and --unassigned cannot be combined');
  const states = parseStates(values.state, awaitingReply ? CASE_STATES : OPEN_STATES);
  return {
    states: late ? states.filter(isOpenState) : states,
    /** Also lists deliveries that can be taken back. */
    withOnHold: values.state === undefined && !late && !unassigned,
    mine,
    unassigned,
    awaitingReply,
    late,
    /** New to this key. */
    isNew: values.new ?? false,
    tier: parseTier(values.tier),
  };
}

function isOpenState(state: string): boolean {
  return OPEN_STATES.some((open) => open === state);
}

function parseStates(names: readonly string[] | undefined, usual: readonly string[]): readonly string[] {
  if (names === undefined) return usual;
  if (names.includes('all')) return CASE_STATES;
  if (names.every((name) => CASE_STATES.some((state) => state === name))) return names;
  throw createUsageFailure(`--state takes ${CASE_STATES.join(', ')} or all`);
}

/** Ignores case, and accepts a dash for the space. */
export function parseTier(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const wanted = name.toLowerCase().replaceAll('-', ' ');
  const tier = tierNames.find((known) => known.toLowerCase() === wanted);
  if (tier === undefined) throw createUsageFailure(`--tier takes ${tierNames.join(', ')}`);
  return tier;
}

/** Two hundred thousand cases; a longer list is treated as endless. */
const MAX_PAGES = 1_000;

/** Returns the earliest due first. The office filters by view and tier; every other filter is applied here. */
export async function listChosenCases(
  link: OfficeLink,
  choice: CaseChoice,
  page: PageRequest,
): Promise<DeskQueueEntry[]> {
  const found = new Map<string, DeskQueueEntry>();
  for (const view of listViews(choice))
    for (const each of await listFromView(link, view, choice, page)) found.set(each.id, each);
  return [...found.values()]
    .toSorted(
      (one, other) => Date.parse(one.due_at) - Date.parse(other.due_at) || (one.id < other.id ? -1 : 1),
    )
    .slice(0, page.limit);
}

/** Returns the smallest views that together contain every chosen case. */
function listViews({ states, mine, unassigned, awaitingReply, late, withOnHold }: CaseChoice): DeskView[] {
  if (awaitingReply) return ['unanswered'];
  const ended: DeskView[] = states.every(isOpenState) ? [] : ['ended'];
  if (!withOnHold && !states.some(isOpenState)) return ended;
  if (mine) return ['mine', ...ended];
  if (unassigned) return ['unassigned', ...ended];
  return [late ? 'late' : 'open', ...ended];
}

async function listFromView(
  link: OfficeLink,
  view: DeskView,
  choice: CaseChoice,
  { limit, after }: PageRequest,
): Promise<DeskQueueEntry[]> {
  const found: DeskQueueEntry[] = [];
  for await (const { cases } of walkQueue(link, { view, tier: choice.tier }, after)) {
    found.push(...cases.filter((each) => isChosen(each, view, choice, link)));
    if (found.length >= limit) return found.slice(0, limit);
  }
  return found;
}

/** Yields the pages of a view, the earliest due first. */
export function walkQueue(
  { office }: OfficeLink,
  { view, tier }: { readonly view: DeskView; readonly tier: string | undefined },
  start?: PageCursor,
) {
  const walk = { list: 'queue', maxPages: MAX_PAGES, start: start && encodePageCursor(start) };
  return walkPages(walk, (after) =>
    office.readQueue({ view, limit: PAGE_CASES, ...(tier && { tier }), ...(after && { after }) }),
  );
}

function isChosen(
  facts: DeskQueueEntry,
  view: DeskView,
  { states, withOnHold, mine, unassigned, awaitingReply, late, isNew, tier }: CaseChoice,
  { office }: OfficeLink,
): boolean {
  const isOnHold = withOnHold && facts.held_until !== null;
  const isUnassigned = facts.holder === null || view === 'unassigned'; // Includes cases of those who left the office.
  return (
    (states.includes(facts.state) || isOnHold) &&
    (!mine || facts.holder === office.holder) &&
    (!unassigned || isUnassigned) &&
    (!awaitingReply || facts.unanswered_since !== null) &&
    (!late || facts.late) &&
    (!isNew || facts.news !== null) &&
    (tier === undefined || facts.tier === tier)
  );
}
