/** Handlers for a finding: the page on which it is written, its delivery, and taking it or a decline back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DraftFields } from '#desk/keys/draft-file.ts';
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import { capitalizeName } from '#desk/model/case-gist.ts';
import { formatDeskHour } from '#desk/model/desk-time.ts';
import { type DeskWork, type GivenAnswer, readGivenAnswer, type WorkRequest } from '#desk/model/desk-work.ts';
import { describeDue } from '#desk/model/due-clock.ts';
import { formatFileNames, parseFileNames } from '#desk/model/finding-files.ts';
import type { OpenedVisit } from '#desk/model/opened-cases.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { readText } from '#desk/model/unsent-form.ts';
import type { DeskFinding } from '#desk/office/finding-sender.ts';
import { findFault, OfficeFault } from '#desk/office/office-fault.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { formatFileSize } from '#seal/form/inquiry-text.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import {
  answerAct,
  answerCase,
  answerRefused,
  applyAct,
  buildCaseView,
  readCaseId,
  saveTyped,
  type Unsent,
} from '../case/case-handlers.ts';
import { describeRefusal } from '../case/case-view.ts';
import { appendTemplate, readSeen, readTyped, toRefusal } from '../case/reply-handlers.ts';
import { renderStrips } from '../desk-strips.ts';
import { renderWritePage } from './finding-page.ts';

export async function answerWrite(request: WorkRequest): Promise<DeskAnswer> {
  // Throws if the draft does not open, so that this page reports it.
  await request.desk.office.drafts.read(readCaseId(request));
  return await answerWritePage(request, {});
}

async function answerWritePage(request: WorkRequest, unsent: Unsent): Promise<DeskAnswer> {
  const { desk } = request;
  const seen = await desk.openCase(readCaseId(request));
  const { id } = seen.opened.facts;
  const view = await buildCaseView(request, seen, unsent);
  const main = renderWritePage({
    case: view,
    files: desk.files.list(id),
    lostFiles: listLostFiles(desk, id, view.draft.stored ?? {}),
  });
  const refusal = describeRefusal(view);
  return { page: { title: 'Desk: finding', nav: 'queue', kind: 'in-write', main, refusal } };
}

/** Saves the draft first, whatever the form requests. */
export async function answerFinding(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const act = readText(form, 'act');
  const typed = readText(form, 'markdown');
  const markdown = act === 'insert' ? await appendTemplate(request, typed) : typed;
  try {
    const files = await updateFiles(desk, id, form);
    await saveTyped(desk, id, { ...readTyped(form, 'markdown', markdown), files });
  } catch (error) {
    const refusal = { ...toRefusal(error, 'markdown', readSeen(form)), fact: 'Not saved' };
    return await answerWritePage(request, { typed: { markdown }, refusal });
  }
  if (act === 'deliver') return await answerDelivery(request, markdown);
  return await answerWritePage(request, {});
}

/** Returns the names of all files of the finding, including those that the desk forgot when it was locked. */
async function updateFiles(desk: DeskWork, id: string, form: FormData): Promise<string> {
  const lost = listLostFiles(desk, id, (await desk.office.drafts.read(id)) ?? {});
  desk.files.add(
    id,
    form.getAll('file').filter((value) => value instanceof File),
  );
  desk.files.remove(id, Number.parseInt(readText(form, 'remove'), 10));
  const kept = lost.filter((name) => name !== readText(form, 'remove_lost'));
  return formatFileNames([...desk.files.list(id).map(({ name }) => name), ...kept]);
}

/** Files wait only in memory; the draft remembers their names. */
function listLostFiles(desk: DeskWork, id: string, draft: DraftFields): readonly string[] {
  const waiting = desk.files.list(id);
  return parseFileNames(draft['files'] ?? '').filter((name) => waiting.every((file) => file.name !== name));
}

/** After this time the browser shows the progress. */
const PATIENCE_MS = 1_500;
const STEP_MS = 1_000;

async function answerDelivery(request: WorkRequest, markdown: string): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const seen = readSeen(form);
  const lost = listLostFiles(desk, id, (await desk.office.drafts.read(id)) ?? {});
  if (lost.length > 0)
    return await answerWritePage(request, {
      refusal: { fact: 'Not delivered', why: 'fault', text: describeLostFiles(lost) },
    });
  const visit = desk.opened.get(id) ?? (await desk.openCase(id));
  const files = desk.files.list(id);
  const key = `${id} deliver ${files.map(({ number }) => number).join()} ${markdown}`;
  const { state, done: delivery } = desk.beginOnce(key, () => {
    const begun: DeliveryState = { id, buyer: visit.gist.buyer, sent: 0, total: 0 };
    return { state: begun, done: deliverFinding(desk, visit, { markdown, files, seen }, begun) };
  });
  // Handled below; this only prevents an unhandled rejection.
  delivery.catch(() => {});
  try {
    const isDone = await Promise.race([delivery.then(() => true), sleep(PATIENCE_MS, false)]);
    if (isDone) return { redirect: await desk.findNextPath(id) };
  } catch (error) {
    return await answerWritePage(request, { refusal: toRefusal(error, 'markdown', seen) });
  }
  const main = renderDeliveryPage(state, {
    delivery,
    step: async () => await sleep(STEP_MS),
    findNext: async () => await desk.findNextPath(id),
    renderOffer: () => renderStrips(desk, request.visit),
  });
  return { page: { title: 'Desk: delivering', nav: 'queue', main } };
}

function describeLostFiles(names: readonly string[]): string {
  return `The desk was locked or restarted after you added ${names.map(showLine).join(', ')}. Add ${names.length === 1 ? 'it' : 'them'} again, or remove ${names.length === 1 ? 'it' : 'them'} from the list.`;
}

async function deliverFinding(
  desk: DeskWork,
  { gist, opened }: OpenedVisit,
  finding: DeskFinding,
  state: DeliveryState,
): Promise<void> {
  const { id } = opened.facts;
  const facts = await desk.office.deliver(id, finding, (progress) => Object.assign(state, progress));
  desk.recordChange(id, facts);
  desk.opened.markRead(id);
  if (facts.held_until !== null) return;
  const when = `${capitalizeName(gist.buyer)} can see it now (${formatDeskHour(desk.watch.readClock())}).`;
  desk.say({ strong: `${nameCase(id)} is delivered.`, text: when });
}

export interface DeliveryState {
  readonly id: string;
  readonly buyer: string;
  sent: number;
  total: number;
}

interface DeliverySteps {
  readonly delivery: Promise<void>;
  readonly step: () => Promise<void>;
  readonly findNext: () => Promise<string>;
  /** The offer to take it back, as on every other page. */
  readonly renderOffer: () => Html | undefined;
}

/** Each line replaces the previous one: the stylesheet hides a `.wait` that something follows. */
export async function* renderDeliveryPage(
  state: DeliveryState,
  { delivery, step, findNext, renderOffer }: DeliverySteps,
): AsyncGenerator<Html> {
  const { id, buyer } = state;
  const name = nameCase(id);
  // Leaves its elements open for the parts that follow.
  yield html`<main class="page" id="main"><div class="wrap"><header class="page-head"><h1>Delivering ${name} to ${buyer}</h1></header>`;
  const over = delivery.then(
    () => ({ error: null }),
    (error: unknown) => ({ error }),
  );
  for (;;) {
    yield html`<div class="wait"><p class="small" role="status">${formatFileSize(state.sent)} of ${formatFileSize(state.total)} sealed and sent</p><progress max="${Math.max(1, state.total)}" value="${state.sent}" aria-label="Sent"></progress></div>`;
    const ended = await Promise.race([over, step()]);
    if (!ended) continue;
    const { error } = ended;
    if (error instanceof OfficeFault)
      return yield html`<div class="sheet task"><div class="problems" role="alert"><h2>Nothing was delivered</h2><p>${error.message}</p><p>Your text and files are still here.</p></div><p class="acts"><a class="button" href="/cases/${id}/finding">Continue writing</a></p></div></div></main>`;
    if (error !== null) throw error;
    const next = await findNext();
    return yield html`<div class="sheet task"><p class="title">${name} is delivered</p><p class="acts"><a class="button" href="${next}" aria-keyshortcuts="n" autofocus>${next === '/queue' ? 'Back to the queue' : 'Go to the next case'}</a></p></div>${renderOffer() ?? null}</div></main>`;
  }
}

export async function answerActs(request: WorkRequest): Promise<DeskAnswer> {
  return readText(request.form, 'act') === 'take_back'
    ? await answerTakeBack(request)
    : await answerAct(request);
}

/**
 * The office deletes an answer that is taken back, so the answer is saved first, but taken back even if saving fails.
 * If the office refuses, the next opening of the case drops the draft.
 */
async function answerTakeBack(request: WorkRequest): Promise<DeskAnswer> {
  const { desk } = request;
  const id = readCaseId(request);
  const { opened } = await desk.openCase(id);
  // A remembered case may lack parts that the office would delete.
  if (!desk.watch.isReached)
    return await answerRefused(
      request,
      'Not done',
      'The office is not answering, so nothing was taken back.',
    );
  const held = readGivenAnswer(opened);
  const { kind, text, files } = held ?? { kind: 'markdown', text: '', files: [] };
  const given = { [kind]: text, files: formatFileNames(files), saved_at: toIsoTime(desk.watch.readClock()) };
  const fault = held && (await findFault(() => desk.office.drafts.saveGiven(id, kind, given)));
  const refused = await applyAct(request, 'take_back');
  if (refused) return refused;
  if (!fault) return await answerTakenBack(desk, id, kind);
  const refusal = { fact: 'Taken back, but not saved', kind, why: 'fault', text: fault.message } as const;
  const answer = kind === 'decline' ? answerCase : answerWritePage;
  return await answer(request, { typed: { [kind]: text }, refusal });
}

async function answerTakenBack(desk: DeskWork, id: string, kind: GivenAnswer['kind']): Promise<DeskAnswer> {
  const { facts } = (await desk.openCase(id)).opened;
  const due = describeDue(facts, desk.watch.readClock()).sentence.toLowerCase();
  desk.say({
    strong: 'Taken back.',
    text: `The buyer has not seen the ${kind === 'decline' ? 'reason' : 'finding'} for ${nameCase(id)}. It is a draft again. The case is ${due}.`,
  });
  return { redirect: kind === 'decline' ? `/cases/${id}#decline-text` : `/cases/${id}/finding` };
}
