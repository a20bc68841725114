/** Notifies the client of a case of its events, if the client has a webhook: which events are due, and when. */

import { DAY_MS } from '#platform/durations.ts';
import { repeatInTurns } from '#platform/turns.ts';
import type { CaseEventType } from '#platform/webhook-event-types.ts';
import type { Services } from '#services.ts';
import {
  type CaseWebhook,
  findCaseWebhook,
  linkIfWebhook,
  listDueCaseWebhooks,
  type NewCaseWebhook,
  updateCaseWebhook,
  upsertCaseWebhook,
} from '#store/cases/case-webhooks.ts';
import { type Case, findCase } from '#store/cases/cases.ts';
import { findLastDeskMessageTime } from '#store/cases/notices.ts';
import {
  computeWebhookTag,
  enqueueWebhookEvent,
  openWebhookClient,
  sealWebhookClient,
} from '#store/clients/webhook-ciphertexts.ts';
import { findWebhook } from '#store/clients/webhooks.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';
import { toBuyerView } from './messages/buyer-view.ts';
import { FIRST_REMINDER_DAYS } from './notices/notice-times.ts';

/** Small, because each case changes several rows. */
const BATCH = 50;

interface CaseEvent {
  readonly type: CaseEventType;
  /** A time in the future is valid only if nothing changes until then. */
  readonly at: number;
}

/** Sorted by time. A finding or a decline is an event only once the buyer can read it. */
function listCaseEvents(record: Case, deskWroteAt: number | null): readonly CaseEvent[] {
  const { state, delivered_at: deliveredAt, purge_at: purgeAt, released_at: releasedAt } = record;
  const events: CaseEvent[] = [];
  const isDecline = state === 'declined' && deskWroteAt === releasedAt;
  if (deskWroteAt !== null && state !== 'withdrawn' && !isDecline)
    events.push({ type: state === 'awaiting_client' ? 'case.question' : 'case.message', at: deskWroteAt });
  // The desk can still write to a case that it has declined.
  if (state === 'declined' && releasedAt !== null) events.push({ type: 'case.declined', at: releasedAt });
  if (deliveredAt !== null) events.push({ type: 'case.delivered', at: deliveredAt });
  // A buyer who withdrew the case knows when it is purged.
  if (purgeAt !== null && state !== 'withdrawn')
    events.push({ type: 'case.purge_soon', at: purgeAt - FIRST_REMINDER_DAYS * DAY_MS });
  return events.toSorted((one, other) => one.at - other.at);
}

/** The link of a new case, of which no event has been reported. A case that a client opens for a person has none. */
export function buildNewLink(
  keyring: Keyring,
  { id: caseId, submitted_at: toldAt }: Pick<Case, 'id' | 'submitted_at'>,
  owner: RecordOwner | null,
): NewCaseWebhook {
  if (owner === null || owner.userId !== null) return { clientTag: '', caseId, ciphertext: null, toldAt };
  const { clientId } = owner;
  const ciphertext = sealWebhookClient(keyring, clientId, caseId);
  return { clientTag: computeWebhookTag(keyring, clientId), caseId, ciphertext, toldAt };
}

/** Looks first, because most clients have no webhook, and encrypting the link takes longer. */
export async function linkNewCase(
  records: Records,
  keyring: Keyring,
  record: Case,
  owner: RecordOwner,
): Promise<void> {
  if (owner.userId !== null) return;
  if (await findWebhook(records, computeWebhookTag(keyring, owner.clientId)))
    await linkIfWebhook(records, buildNewLink(keyring, record, owner));
}

/** Events up to `now` are not reported. */
export async function linkCaseToWebhook(
  records: Records,
  keyring: Keyring,
  { record, clientId, now }: { readonly record: Case; readonly clientId: string; readonly now: number },
): Promise<void> {
  const ciphertext = sealWebhookClient(keyring, clientId, record.id);
  const past = (await readCaseEvents(records, record)).filter(({ at }) => at <= now);
  // A time of the case itself: the time of the request would link all cases of a client to each other and to its token.
  const toldAt = past.at(-1)?.at ?? record.submitted_at;
  const row = { case_id: record.id, client_ciphertext: ciphertext, told_at: toldAt, due_at: null };
  await upsertCaseWebhook(records, row);
  const linked = await findCaseWebhook(records, record.id);
  if (linked) await updateDueTime(records, record, linked);
}

/** Called in the transaction of every change that may be an event, or may take one back. */
export async function updateCaseEventTime(records: Records, record: Case): Promise<void> {
  const linked = await findCaseWebhook(records, record.id);
  if (!linked) return;
  // After an event with a time from a fast clock, this change would count as reported: better twice than never.
  const toldAt = linked.told_at > record.changed_at ? record.changed_at - 1 : linked.told_at;
  await updateDueTime(records, record, { ...linked, told_at: toldAt });
}

async function updateDueTime(records: Records, record: Case, linked: CaseWebhook): Promise<void> {
  const [next] = await listUntoldEvents(records, record, linked);
  await updateCaseWebhook(records, record.id, { told_at: linked.told_at, due_at: next?.at ?? null });
}

async function listUntoldEvents(
  records: Records,
  record: Case,
  { told_at: toldAt }: CaseWebhook,
): Promise<readonly CaseEvent[]> {
  return (await readCaseEvents(records, record)).filter(({ at }) => at > toldAt);
}

async function readCaseEvents(records: Records, record: Case): Promise<readonly CaseEvent[]> {
  return listCaseEvents(record, await findLastDeskMessageTime(records, record.id));
}

/**
 * False once a question is answered, a case withdrawn or its purge postponed; an answer on hold changes nothing yet.
 * For a purged case, only the purge is reported.
 */
export async function isCaseEventTrue(
  records: Records,
  { type, subject }: { readonly type: CaseEventType; readonly subject: string },
  now: number,
): Promise<boolean> {
  if (type === 'case.purged') return true;
  const record = await findCase(records, subject, now);
  if (!record) return false;
  const deskWroteAt = await findLastDeskMessageTime(records, record.id, now);
  return listCaseEvents(toBuyerView(record, now), deskWroteAt).some(
    (event) => event.type === type && event.at <= now,
  );
}

/** Enqueues the events that are due, but none while there is clock skew. */
export async function enqueueDueCaseEvents({
  clockGuard,
  keyring,
  store,
}: Pick<Services, 'clockGuard' | 'keyring' | 'store'>): Promise<void> {
  const now = await clockGuard.readTrustedTime();
  if (now === null) return;
  await repeatInTurns(() =>
    store.transaction(async (records) => {
      const due = await listDueCaseWebhooks(records, now, BATCH);
      for (const linked of due) await enqueueCaseEvents(records, keyring, linked, now);
      return due.length === BATCH;
    }),
  );
}

async function enqueueCaseEvents(
  records: Records,
  keyring: Keyring,
  linked: CaseWebhook,
  now: number,
): Promise<void> {
  const { case_id: subject, client_ciphertext: ciphertext, told_at: toldAt } = linked;
  const record = await findCase(records, subject, now);
  const untold = record ? await listUntoldEvents(records, record, linked) : [];
  const due = untold.filter(({ at }) => at <= now);
  const clientId = openWebhookClient(keyring, ciphertext, subject);
  if (clientId !== null)
    for (const { type } of due)
      await enqueueWebhookEvent(records, keyring, { clientId, type, subject, at: now });
  await updateCaseWebhook(records, subject, {
    told_at: due.at(-1)?.at ?? toldAt,
    due_at: untold.find(({ at }) => at > now)?.at ?? null,
  });
}

/**
 * Called in the last transaction of a purge, with the client as read before, null if it has no webhook. The event
 * outlives the case by some days.
 */
export async function enqueuePurgedEvent(
  records: Records,
  keyring: Keyring,
  { subject, ciphertext }: { readonly subject: string; readonly ciphertext: Uint8Array | null },
  now: number,
): Promise<void> {
  if (ciphertext === null) return;
  const clientId = openWebhookClient(keyring, ciphertext, subject);
  if (clientId !== null)
    await enqueueWebhookEvent(records, keyring, { clientId, type: 'case.purged', subject, at: now });
}
