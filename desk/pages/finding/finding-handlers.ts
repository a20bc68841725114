/** Handlers for the page on which a finding is written: drafts, templates, files, and the delivery itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DraftFields } from '#desk/keys/draft-file.ts';
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import { capitalizeName } from '#desk/model/case-gist.ts';
import { formatDeskHour } from '#desk/model/desk-time.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { formatFileNames, parseFileNames } from '#desk/model/finding-files.ts';
import type { OpenedVisit } from '#desk/model/opened-cases.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { readText } from '#desk/model/unsent-form.ts';
import type { DeskFinding } from '#desk/office/finding-sender.ts';
import { nameCase } from '#wire/case-name.ts';
import { saveTyped } from '../case/case-draft.ts';
import { buildCaseView, type CaseRequest, readCaseId, type Unsent } from '../case/case-handlers.ts';
import { describeRefusal } from '../case/case-refusal.ts';
import { appendTemplate, readSeen, readTyped, toRefusal } from '../case/reply-handlers.ts';
import { renderStrips } from '../desk-strips.ts';
import { type DeliveryState, renderDeliveryPage } from './delivery-page.ts';
import { renderWritePage } from './finding-page.ts';

export async function answerWrite(request: CaseRequest): Promise<DeskAnswer> {
  // Throws if the draft does not open, so that this page reports it.
  await request.desk.office.readDraft(readCaseId(request));
  return await answerWritePage(request, {});
}

export async function answerWritePage(request: CaseRequest, unsent: Unsent): Promise<DeskAnswer> {
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
export async function answerFinding(request: CaseRequest): Promise<DeskAnswer> {
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
  const lost = listLostFiles(desk, id, (await desk.office.readDraft(id)) ?? {});
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

async function answerDelivery(request: CaseRequest, markdown: string): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const seen = readSeen(form);
  const lost = listLostFiles(desk, id, (await desk.office.readDraft(id)) ?? {});
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
