/** The unsealed facts of a case, as text and as JSON: its state, when it is due and when it is purged. */
import { FINDING_KINDS } from '#cases/messages/buyer-view.ts';
import { formatTimeLeft } from '#cases/status-text.ts';
import { isEndedCase } from '#desk/model/due-clock.ts';
import { formatInvestigatorKey, type RememberedPerson } from '#desk/office/office-people.ts';
import { ENGLISH } from '#language/languages.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { isInvestigatorId } from '#seal/core/investigator-id.ts';
import { formatPartName } from '#seal/files/archive-name.ts';
import { nameCase } from '#wire/case-name.ts';
import type { DeskCase, DeskCaseFile } from '#wire/desk-cases.ts';
import type { CommandReport } from '../command.ts';
import { formatDayOrDash, formatTimeOrDash, terminalSafe } from '../terminal/table.ts';

/** Scripts rely on these names and formats, so they must not change. */
export function toCaseJson(facts: DeskCase) {
  return {
    id: facts.id,
    name: nameCase(facts.id),
    tier: facts.tier,
    state: facts.state,
    call: facts.call,
    sealed_by: facts.sealed_by,
    keep_days: facts.keep_days,
    submitted_at: facts.submitted_at,
    due_at: facts.due_at,
    late: facts.late,
    delivered_at: facts.delivered_at,
    held_until: facts.held_until,
    purge_at: facts.purge_at,
    purge_by: facts.purge_by,
    holder: facts.holder,
    unanswered_since: facts.unanswered_since,
    changed_at: facts.changed_at,
  };
}

export function formatCaseLines(
  facts: DeskCase,
  now: number,
  names: InvestigatorNames,
): [label: string, text: string][] {
  const { id, tier, holder, held_until: heldUntil } = facts;
  return [
    ['Case', id],
    ['Name', nameCase(id)],
    ['Tier', tier],
    ['State', formatDeskState(facts)],
    [
      'Due',
      `${formatTimeOrDash(facts.due_at)}${!isEndedCase(facts) ? `, ${formatDueOrDash(facts, now)}` : ''}`,
    ],
    ['Assignee', holder === null ? 'none' : formatAssignee(holder, names)],
    [
      'Awaiting reply',
      facts.unanswered_since === null ? '-' : `since ${formatTimeOrDash(facts.unanswered_since)}`,
    ],
    ['Call', facts.call],
    ['Sealed by', facts.sealed_by],
    ['Submitted', formatTimeOrDash(facts.submitted_at)],
    [
      'Delivered',
      heldUntil === null
        ? formatTimeOrDash(facts.delivered_at)
        : `the buyer can read it from ${formatTimeOrDash(heldUntil)}`,
    ],
    ['Purged on', formatPurge(facts, names)],
  ];
}

function formatPurge(
  { purge_at: at, purge_by: by, keep_days: days }: DeskCase,
  names: InvestigatorNames,
): string {
  if (at === null) return `${days} days after the delivery`;
  const asked =
    by === null ? '' : `, requested by ${formatAssignee(by, names)}; cases purge --undo cancels it`;
  return `${formatTimeOrDash(at)}${asked}`;
}

export function buildStepReport(facts: DeskCase, now: number, done: string): CommandReport {
  const { id, held_until: heldUntil } = facts;
  const next = isEndedCase(facts)
    ? `will be purged on ${formatDayOrDash(facts.purge_at)}`
    : `${Date.parse(facts.due_at) < now ? '' : 'due '}${formatDueOrDash(facts, now)}`;
  const hint =
    heldUntil === null
      ? ''
      : `The buyer cannot see it before ${formatTimeOrDash(heldUntil)}. To take it back before then: ${PROGRAM_NAME} cases take-back ${id}\n`;
  return {
    text: `${done} State of the case: ${formatStateName(facts)}; ${next}.\n${hint}`,
    json: { case: toCaseJson(facts) },
  };
}

/** The report of a command that had nothing left to do, for example a repeated run whose first output was lost. */
export function buildRepeatReport(facts: DeskCase, text: string): CommandReport {
  return { text: `${text}\n`, json: { case: toCaseJson(facts), repeated: true } };
}

export function requireNotOnHold({ id, held_until: heldUntil }: DeskCase): void {
  if (heldUntil === null) return;
  throw new ProgramError(
    `A delivery or a decline is on hold in this case, so nothing was changed: the buyer can see it from ${formatTimeOrDash(heldUntil)}. Take it back first: ${PROGRAM_NAME} cases take-back ${id}`,
  );
}

/** The state that the desk sees. During a hold, the buyer sees the previous one. */
function formatDeskState(facts: DeskCase): string {
  const state = formatStateName(facts);
  return facts.held_until === null
    ? state
    : `${state}, can be taken back until ${formatTimeOrDash(facts.held_until)}`;
}

/** The time at which a part was stored; for a part on hold, the time from which the buyer can read it. */
export function formatStoredTime(
  { kind, at }: DeskCaseFile['objects'][number],
  { held_until: heldUntil }: DeskCase,
): string {
  const isOnHold = heldUntil !== null && (at === heldUntil || FINDING_KINDS.some((known) => known === kind));
  return isOnHold ? `held until ${formatTimeOrDash(heldUntil)}` : formatTimeOrDash(at);
}

/** The time left until the case is due, or how late it is; a dash once it has ended. */
export function formatDueOrDash(facts: DeskCase, now: number): string {
  return isEndedCase(facts) ? '-' : formatTimeLeft(Date.parse(facts.due_at) - now, ENGLISH.say);
}

export function formatStateName({ state }: DeskCase): string {
  return state.replaceAll('_', ' ');
}

/** Returns, for example, `buyer message 2`. */
export function formatObjectName(place: SealedPlace): string {
  return formatPartName(place).replaceAll('-', ' ');
}

export type InvestigatorNames = ReadonlyMap<string, string>;

export function listOfficeNames(people: readonly RememberedPerson[]): InvestigatorNames {
  return new Map(
    people.flatMap(({ holder, name }) => (name === null ? [] : [[holder, terminalSafe.line(name)]])),
  );
}

export function formatAssignee(holder: string, names: InvestigatorNames): string {
  const name = names.get(holder);
  if (name !== undefined) return name;
  return isInvestigatorId(holder) ? `Key ${formatInvestigatorKey(holder)}` : 'Unknown';
}

/** Adds the key to the name, for places where it matters who it was. */
export function formatAssigneeWithKey(holder: string, names: InvestigatorNames): string {
  const text = formatAssignee(holder, names);
  return names.has(holder) ? `${text} (key ${formatInvestigatorKey(holder)})` : text;
}
