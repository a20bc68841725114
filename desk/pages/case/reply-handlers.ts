/** Handlers for all writing in a case: messages to the buyer, a booked call, notes for the desk, and drafts. */
import type { DraftFields } from '#desk/keys/draft-file.ts';
import {
  DRAFT_KINDS,
  type DraftKind,
  listTextFields,
  toBaseField,
  toEarlierField,
} from '#desk/keys/merged-draft.ts';
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import { nameAssignee } from '#desk/model/assignee-name.ts';
import { pickBuyerZone } from '#desk/model/call-times.ts';
import { DESK_ZONE, formatTimeInBoth } from '#desk/model/desk-time.ts';
import type { DeskWork, WorkRequest } from '#desk/model/desk-work.ts';
import { listTemplateWords, readTemplate } from '#desk/model/template-folder.ts';
import { readDraftTexts, readText } from '#desk/model/unsent-form.ts';
import type { SeenMessages } from '#desk/office/case-reader.ts';
import type { DeskMessage } from '#desk/office/case-writer.ts';
import { findFault, OfficeFault } from '#desk/office/office-fault.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import { isUpcoming } from '#seal/case/call-window.ts';
import { toInstant } from '#seal/case/zoned-time.ts';
import { nameCase } from '#wire/case-name.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import { answerCase, answerRefused, readCaseId, saveTyped } from './case-handlers.ts';
import type { SendingRefusal } from './case-view.ts';
import { describeSavedAt } from './draft-field.ts';

export function readSeen(form: FormData): SeenMessages {
  const readNumber = (name: string) => Math.max(0, Number.parseInt(readText(form, name), 10) || 0);
  return { buyer: readNumber('seen_buyer'), desk: readNumber('seen_desk') };
}

export function readTyped(form: FormData, kind: DraftKind, text: string): DraftFields {
  return { [kind]: text, page: readText(form, 'page'), [toBaseField(kind)]: readText(form, 'base') };
}

/** The page's script shows the answer beside the field. A text that no longer has a form is discarded by a button. */
export async function answerDrafts(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  if (form.has('drop')) return await answerDropped(desk, id, readText(form, 'drop'));
  const bases = DRAFT_KINDS.map((kind) => [toBaseField(kind), readText(form, toBaseField(kind))]);
  const fields = { ...readDraftTexts(form), ...Object.fromEntries(bases), page: readText(form, 'page') };
  try {
    return { said: describeSavedAt(await saveTyped(desk, id, fields), desk.watch.readClock()) };
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    return { said: `not saved: ${error.message}`, status: 409 };
  }
}

async function answerDropped(desk: DeskWork, id: string, field: string): Promise<DeskAnswer> {
  const kind = DRAFT_KINDS.find((each) => each === field);
  await desk.office.drafts.drop(id, kind ? listTextFields(kind) : [field]);
  const isOfFinding = field === toEarlierField('markdown');
  const mayDeliver = desk.opened.get(id)?.opened.facts.acts.includes('deliver') ?? false;
  return { redirect: isOfFinding && mayDeliver ? `/cases/${id}/finding` : `/cases/${id}` };
}

/** If the service refuses, or a message arrived meanwhile, the page is shown again with the text. */
async function sendOrKeep(
  request: WorkRequest,
  message: DeskMessage,
  kind: DraftKind,
  text = message.text,
): Promise<DeskAnswer | null> {
  const { desk } = request;
  const id = readCaseId(request);
  const key = JSON.stringify(message);
  const kept = await writeOrKeep(request, { kind, text, key }, () => desk.office.sendMessage(id, message));
  if (kept === null) desk.opened.markRead(id);
  return kept;
}

/** Saves the text before sending it, so that it is not lost if the desk ends meanwhile. `key` covers all that is sent. */
async function writeOrKeep(
  request: WorkRequest,
  { kind, text, key }: { readonly kind: DraftKind; readonly text: string; readonly key: string },
  write: () => Promise<DeskCase>,
): Promise<DeskAnswer | null> {
  const { desk, form } = request;
  const id = readCaseId(request);
  // A full disk must not prevent sending; if sending fails too, the page says that the text is not saved.
  await saveTyped(desk, id, readTyped(form, kind, text)).catch(() => undefined);
  try {
    desk.recordChange(id, await desk.beginOnce(`${id} ${key}`, () => ({ done: write() })).done);
    await desk.office.drafts.dropSent(id, kind, text);
    return null;
  } catch (error) {
    const refusal = toRefusal(error, kind, readSeen(form));
    return await answerCase(request, { typed: { [kind]: text }, refusal });
  }
}

/** Shows only faults of the office; any other error is a bug. */
export function toRefusal(error: unknown, kind: DraftKind, seen: SeenMessages): SendingRefusal {
  if (!(error instanceof OfficeFault)) throw error;
  const fact = REFUSED[kind];
  return error.code === 'case_changed'
    ? { fact, kind, why: 'changed', from: seen.buyer }
    : { fact, kind, why: 'fault', text: error.message };
}

const REFUSED: Readonly<Record<DraftKind, string>> = {
  reply: 'Not sent',
  note: 'Not added',
  decline: 'Not declined',
  keep: 'Not changed',
  call: 'Not booked',
  markdown: 'Not delivered',
};

export async function answerMessage(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const text = readText(form, 'text');
  const act = readText(form, 'act');
  if (act === 'insert') return await answerInsert(request, text);
  const message = {
    act: act === 'ask' ? 'ask' : 'message',
    text,
    seen: readSeen(form),
    offersCall: form.get('offer_call') === 'yes',
  } as const;
  const kept = await sendOrKeep(request, message, 'reply');
  if (kept) return kept;
  if (message.act === 'message') {
    desk.say({ strong: 'Sent.', text: `It is on the buyer’s case page.` });
    return { redirect: `/cases/${id}` };
  }
  sayDone(desk, id, 'Asked.', 'is waiting for its buyer.');
  return { redirect: await desk.findNextPath(id) };
}

function sayDone(desk: DeskWork, id: string, strong: string, state: string): void {
  const name = nameCase(id);
  desk.say({ strong, text: `${name} ${state}`, link: { href: `/cases/${id}`, label: `Back to ${name}` } });
}

async function answerInsert(request: WorkRequest, text: string): Promise<DeskAnswer> {
  const { desk, form } = request;
  const reply = await appendTemplate(request, text);
  await saveTyped(desk, readCaseId(request), readTyped(form, 'reply', reply)).catch(() => undefined);
  return await answerCase(request, { typed: { reply } });
}

/** Appends the chosen template, filled in for this case; returns only the text if there is no such template. */
export async function appendTemplate(request: WorkRequest, text: string): Promise<string> {
  const { desk, form } = request;
  const visit = await desk.openCase(readCaseId(request));
  const words = listTemplateWords(visit, desk.watch.readClock());
  const template = await readTemplate(desk.templatesFolder, readText(form, 'template'), words);
  return template ? [text.trimEnd(), template].filter(Boolean).join('\n\n') : text;
}

export async function answerDecline(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const message = { act: 'decline', text: readText(form, 'text'), seen: readSeen(form) } as const;
  const kept = await sendOrKeep(request, message, 'decline');
  if (kept) return kept;
  // While it is on hold, another strip says so and offers to take it back.
  if (desk.watch.listOnHold().every((answer) => answer.id !== id))
    sayDone(
      desk,
      id,
      'Declined.',
      'has ended; its buyer can read the reason. Refund the payment at the provider.',
    );
  return { redirect: await desk.findNextPath(id) };
}

export async function answerKeep(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const keepDays = Number.parseInt(readText(form, 'days'), 10) || 0;
  const text = readText(form, 'text');
  const kept = await sendOrKeep(request, { act: 'retain', keepDays, text, seen: readSeen(form) }, 'keep');
  if (kept) return kept;
  desk.say({
    strong: 'Changed.',
    text: `The case will be purged ${keepDays} days after the delivery; the buyer can read the reason.`,
  });
  return { redirect: `/cases/${id}` };
}

export async function answerCall(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const { content } = (await desk.openCase(id)).opened;
  const zone = pickBuyerZone(buildCallPlan(content, false).windows);
  const begin = Number.parseInt(readText(form, 'begin'), 10);
  const local = readText(form, 'local');
  const call = readText(form, 'begin') || local;
  const at = Number.isSafeInteger(begin) ? begin : toInstant(local, DESK_ZONE);
  const now = desk.watch.readClock();
  if (at === null || at <= now || !isUpcoming(at, now)) {
    const text = 'Choose when the call begins: a time ahead, at most a year from now.';
    const refusal = { fact: REFUSED.call, kind: 'call', why: 'fault', text } as const;
    return await answerCase(request, { typed: { call }, refusal });
  }
  const message = { act: 'book_call', at, zone, text: '', seen: readSeen(form) } as const;
  const kept = await sendOrKeep(request, message, 'call', call);
  if (kept) return kept;
  desk.say({ strong: 'Booked.', text: `The call is ${formatTimeInBoth(at, now)}.` });
  return { redirect: `/cases/${id}` };
}

export async function answerNote(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const note = readText(form, 'note');
  const to = readText(form, 'act') === 'hand_over' ? readText(form, 'to') : null;
  if (note.trim() === '' && to !== null)
    return await answerRefused(
      request,
      'Not handed over',
      'Explain in a note why you are handing the case over.',
      'note',
    );
  if (note.trim() === '') return { redirect: `/cases/${id}#note` };
  if (to !== null)
    return await desk.beginOnce(`${id} hand over ${to} ${note}`, () => ({
      done: handOver(request, { id, note, to }),
    })).done;
  return (await writeNote(request, id, note)) ?? { redirect: `/cases/${id}#notes` };
}

async function writeNote(request: WorkRequest, id: string, note: string): Promise<DeskAnswer | null> {
  const text = { kind: 'note', text: note, key: `note ${note}` } as const;
  return await writeOrKeep(request, text, () => request.desk.office.addNote(id, note));
}

/** The note is written first, so that a colleague never finds a case without its reason. */
async function handOver(
  request: WorkRequest,
  { id, note, to }: { readonly id: string; readonly note: string; readonly to: string },
): Promise<DeskAnswer> {
  const { desk } = request;
  const kept = await writeNote(request, id, note);
  if (kept) return kept;
  const fault = await findFault(async () =>
    desk.recordChange(id, await desk.office.act(id, 'hand_over', to)),
  );
  if (fault) {
    const text = `Your note was added, but the case was not handed over. ${fault.message}`;
    return await answerRefused(request, 'Not handed over', text);
  }
  sayDone(desk, id, 'Handed over.', `is now assigned to ${nameAssignee(to, desk.staff)}, with your note.`);
  return { redirect: await desk.findNextPath(id) };
}
