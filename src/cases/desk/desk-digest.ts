/** The digest to the desk, twice a day: how much is waiting, and which investigators ended cases assigned to others. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { EmailText } from '#platform/mail/mail.ts';
import { generateId } from '#platform/text/ids.ts';
import { formatKeyFingerprint } from '#seal/core/case-key.ts';
import type { Services } from '#services.ts';
import { countCasesAwaitingReply } from '#store/cases/awaiting-reply.ts';
import type { Case } from '#store/cases/cases.ts';
import {
  countCasesInState,
  countOpenContactMessages,
  type DigestLine,
  deleteDigestLine,
  deleteDigestLines,
  findDigestSlot,
  insertDigestLine,
  listDigestLines,
  updateDigestSlot,
} from '#store/cases/desk-mail.ts';
import { countDueRefunds } from '#store/cases/refunds.ts';
import { countPendingRegistrations } from '#store/clients/registrations.ts';
import { countOrdersToReview } from '#store/orders/orders-to-review.ts';
import { countOutbox, enqueueOutboxEntry } from '#store/outbox.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import type { DigestAct } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import { type AlertOptions, countCasesByClock } from './desk-alerts.ts';
import { createPreviousAssigneeCheck } from './desk-people.ts';

const DESK_DIGEST_TOPIC = 'desk digest';
/** 07:00 and 19:00 UTC. */
const FIRST_HOUR_MS = 7 * HOUR_MS;
const SLOT_MS = DAY_MS / 2;
/** Wide enough for every count, so that the length of the e-mail reveals nothing. */
const COUNT_WIDTH = 6;

/** Returns a sentence for the operator, or null while all is well. */
export type AlarmReader = () => Promise<string | null>;

interface DigestOptions extends AlertOptions, Pick<Services, 'clock'> {
  readonly alarms: readonly AlarmReader[];
  readonly listPeople: () => Promise<readonly Pick<DeskPersonView, 'holder' | 'name'>[]>;
}

/** The number of the half day; each begins with a digest. */
function computeDigestSlot(now: number): number {
  return Math.floor((now - FIRST_HOUR_MS) / SLOT_MS);
}

/**
 * Writes the digest of this half day unless an instance has already; after an outage, once and late. A new database
 * begins with the next half day. If the stored slot is the next one, another instance's clock is slightly fast; one
 * further ahead comes from a wrong clock and does not prevent the digest.
 */
export async function enqueueDigest({ clock, store }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const slot = computeDigestSlot(clock.now());
  const isWritten = (last: number | undefined) => last === slot || last === slot + 1;
  if (isWritten(await findDigestSlot(store.records))) return;
  await store.transaction(async (records) => {
    const last = await findDigestSlot(records);
    if (isWritten(last)) return;
    await updateDigestSlot(records, slot);
    if (last === undefined) return;
    const topic = DESK_DIGEST_TOPIC;
    const dedupe = `${topic} ${slot}`;
    await enqueueOutboxEntry(records, { topic, dedupe, payload: { slot }, dueAt: clock.now() });
  });
}

/** Counts at the time of sending. A digest that could not be sent in its half day is dropped in favour of the next. */
export function createDigestMailer(options: DigestOptions): Readonly<Record<string, OutboxHandler>> {
  const { clock, store, siteName, alarms, listPeople, maintainer, sendMail } = options;
  const sendDigest: OutboxHandler = async (payload, id) => {
    const now = clock.now();
    if ((payload as { slot: number }).slot < computeDigestSlot(now)) return;
    const readings = await Promise.all(alarms.map((readAlarm) => readAlarm()));
    const sentences = readings.filter((sentence) => sentence !== null);
    const counts = await countForDigest(store.records, now);
    const lines = await listDigestLines(store.records, now);
    const deeds = describeLines(lines, lines.length > 0 ? await listPeople() : []);
    const digest = buildDigest(counts, { alarms: sentences, deeds }, siteName);
    await sendMail({ id, to: maintainer, ...digest });
    // Lines that were added meanwhile are for the next digest.
    const told = lines.map((line) => line.id);
    await store.transaction((records) => deleteDigestLines(records, told));
  };
  return { [DESK_DIGEST_TOPIC]: sendDigest };
}

/** Called in the transaction of the act. Cases of investigators who have left the desk count as unassigned. */
export async function recordOthersCase(
  records: Records,
  { assignee, taken_from: takenFrom }: Case,
  { by, act, at }: { readonly by: string | null; readonly act: DigestAct; readonly at: number },
): Promise<void> {
  const hasLeft = await createPreviousAssigneeCheck(records);
  const other = [assignee, takenFrom].find((each) => each !== null && each !== by && !hasLeft(each));
  if (other) await insertDigestLine(records, { id: generateId(), who: by, act, had_by: other, due_at: at });
}

/** Deletes the line of a decline that was taken back: it names no case, but is in no digest before the release. */
export async function forgetOthersDecline(
  records: Records,
  { assignee, taken_from: takenFrom, released_at: releasedAt }: Case,
): Promise<void> {
  if (takenFrom === null || releasedAt === null) return;
  const line = { who: assignee, act: 'decline', had_by: takenFrom, due_at: releasedAt } as const;
  await deleteDigestLine(records, line);
}

const deedWords: Readonly<Record<DigestAct, string>> = {
  decline: 'declined',
  purge: 'asked for the purge of',
  purge_now: 'purged',
};

function describeLines(
  lines: readonly DigestLine[],
  people: Awaited<ReturnType<DigestOptions['listPeople']>>,
): string[] {
  const nameAssignee = (investigator: string) =>
    people.find((person) => person.holder === investigator)?.name ??
    `key ${formatKeyFingerprint(Buffer.from(investigator, 'base64url'))}`;
  return lines
    .map(({ who, act, had_by: hadBy }) => {
      const name = who === null ? 'the command line' : nameAssignee(who);
      return `By ${name}: ${deedWords[act]} a case assigned to ${nameAssignee(hadBy)}.`;
    })
    .toSorted();
}

type DigestCount = readonly [label: string, count: number];

async function countForDigest(records: Records, now: number): Promise<DigestCount[]> {
  const { due, late } = await countCasesByClock(records, now, DAY_MS);
  const awaitingReply = await countCasesAwaitingReply(records, CASE_STATES);
  return [
    ['Cases: new', await countCasesInState(records, 'received')],
    ['Cases: waiting for the desk', await countCasesInState(records, 'in_progress')],
    ['Cases: awaiting reply', awaitingReply],
    ['Cases: due within 24 hours', due],
    ['Cases: late', late],
    ['Contact messages', await countOpenContactMessages(records)],
    ['Refunds to make', await countDueRefunds(records, now)],
    ['Agents waiting for a decision', await countPendingRegistrations(records)],
    ['Orders to review', await countOrdersToReview(records)],
    ['E-mails given up', (await countOutbox(records, now)).dead],
  ];
}

/** Always the same subject and, without alarms and deeds, the same length. */
function buildDigest(
  counts: readonly DigestCount[],
  { alarms, deeds }: { readonly alarms: readonly string[]; readonly deeds: readonly string[] },
  siteName: string,
): Omit<EmailText, 'to'> {
  const lines: readonly DigestCount[] = [...counts, ['Alarms', alarms.length]];
  const width = Math.max(...lines.map(([label]) => label.length));
  const table = lines.map(
    ([label, count]) => `  ${label.padEnd(width)} ${String(count).padStart(COUNT_WIDTH)}\n`,
  );
  return {
    subject: 'Digest',
    text: `This is what waits at ${siteName}.

${table.join('')}
${[...alarms, ...deeds].map((sentence) => `${sentence}\n`).join('')}
  office cases list
  office contact list
  office agents list --status pending
  office orders list
  office outbox list

It comes at 07:00 and 19:00 UTC, also when nothing waits. If it does not come,
check the service and its mail.
`,
  };
}
