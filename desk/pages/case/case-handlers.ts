/** Handlers for the page of a case and for acts that seal nothing. */
import { randomBytes } from 'node:crypto';
import type { DraftFields } from '#desk/keys/draft-file.ts';
import { DRAFT_KINDS, type DraftKind } from '#desk/keys/merged-draft.ts';
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import type { DeskWork, WorkRequest } from '#desk/model/desk-work.ts';
import type { OpenedVisit } from '#desk/model/opened-cases.ts';
import { listTemplates } from '#desk/model/template-folder.ts';
import { readText } from '#desk/model/unsent-form.ts';
import { requireCaseId } from '#desk/office/known-case.ts';
import { findFault, OfficeFault } from '#desk/office/office-fault.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { nameCase } from '#wire/case-name.ts';
import { BARE_ACTS, type DeskActRequest } from '#wire/desk-cases.ts';
import { readListBeside, toTitle } from '../queue/queue-handlers.ts';
import { renderClosedCasePage } from '../queue/queue-page.ts';
import {
  type CaseView,
  type DraftView,
  describeRefusal,
  type SendingRefusal,
  type TypedTexts,
} from './case-view.ts';
import { renderOpenedCasePage } from './opened-case-page.ts';

/** Shown after an act, without opening the case. */
export async function answerClosedCase(request: WorkRequest): Promise<DeskAnswer> {
  const { desk } = request;
  const id = readCaseId(request);
  const list = await readListBeside(desk);
  const found = list.all.find((each) => each.id === id);
  if (!found) return { redirect: '/queue' };
  const main = renderClosedCasePage(found, list);
  return { page: { title: toTitle(list), nav: 'queue', kind: 'in-case', main } };
}

export interface Unsent {
  readonly typed?: Partial<TypedTexts>;
  readonly refusal?: SendingRefusal;
}

export async function answerCase(request: WorkRequest, unsent: Unsent = {}): Promise<DeskAnswer> {
  const { desk } = request;
  const seen = await desk.openCase(readCaseId(request));
  const view = await buildCaseView(request, seen, unsent);
  const list = await readListBeside(desk);
  const main = renderOpenedCasePage(view, list);
  const refusal = describeRefusal(view);
  return { page: { title: toTitle(list), nav: 'queue', kind: 'in-case', main, refusal } };
}

/** With a `kind`, focuses its field. */
export async function answerRefused(
  request: WorkRequest,
  fact: string,
  text: string,
  kind?: DraftKind,
): Promise<DeskAnswer> {
  return await answerCase(request, { refusal: { fact, why: 'fault', text, ...(kind && { kind }) } });
}

export async function buildCaseView(
  { desk, visit }: Pick<WorkRequest, 'desk' | 'visit'>,
  { opened, gist, newFrom, lastLookAt }: OpenedVisit,
  { typed, refusal }: Unsent = {},
): Promise<CaseView> {
  const draft = await readDraftView(desk, opened.facts.id);
  const texts = DRAFT_KINDS.map((kind) => [kind, typed?.[kind] ?? draft.stored?.[kind] ?? '']);
  return {
    opened,
    gist,
    now: desk.watch.readClock(),
    staff: desk.staff,
    visit,
    newFrom,
    lastLookAt,
    templates: await listTemplates(desk.templatesFolder),
    draft,
    typed: Object.fromEntries(texts) as TypedTexts,
    refusal: refusal ?? null,
    isAway: !desk.watch.isReached,
    outFolder: desk.outFolder,
    savedAt: desk.savedFiles,
  };
}

export function readCaseId({ params }: Pick<WorkRequest, 'params'>): string {
  return requireCaseId(params['id'] ?? '');
}

/** Acts that write nothing. The office decides; a refusal is shown on the page of the case. */
export async function answerAct(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const act = findAct(readText(form, 'act'));
  if (act === null) return { redirect: `/cases/${id}` };
  const refused = await applyAct(request, act);
  if (refused) return refused;
  if (act !== 'let_go') return { redirect: `/cases/${id}#new` };
  const link = { href: `/cases/${id}`, label: 'Back to it' };
  desk.say({ strong: `${nameCase(id)} is unassigned again.`, text: '', link });
  return { redirect: await desk.findNextPath(id) };
}

/** Null if the act succeeded. */
export async function applyAct(request: WorkRequest, act: DeskActRequest['act']): Promise<DeskAnswer | null> {
  const { desk } = request;
  const id = readCaseId(request);
  const fault = await findFault(async () => desk.recordChange(id, await desk.office.act(id, act)));
  return fault && (await answerRefused(request, 'Not done', fault.message));
}

function findAct(name: string): DeskActRequest['act'] | null {
  const act = BARE_ACTS.find((each) => each === name) ?? null;
  // Purging must be confirmed by typing, so it has a separate form.
  return act === 'purge' || act === 'purge_now' ? null : act;
}

/** Confirmed by typing the name of the case. Purges as the page has announced: at once, or so that it can be undone. */
export async function answerPurge(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form } = request;
  const id = readCaseId(request);
  const name = nameCase(id);
  const typed = readText(form, 'name')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, ' ');
  if (typed !== name)
    return await answerRefused(request, 'Not purged', `To purge this case, type its name: ${name}.`);
  const isAtOnce = readText(form, 'when') === 'now';
  const changed = await desk.office.act(id, isAtOnce ? 'purge_now' : 'purge');
  desk.recordChange(id, changed);
  desk.files.discard(id);
  const saved = 'Files that you saved are still where you saved them.';
  if (isAtOnce) desk.say({ strong: `${name} is purged.`, text: saved });
  else
    desk.say({
      strong: `${name} will be purged.`,
      text: `Everyone at the desk sees your request and can undo it. ${saved}`,
      link: { href: `/cases/${id}`, label: 'Back to it' },
    });
  return { redirect: await desk.findNextPath(id) };
}

const PAGE_BYTES = 9;

/** Returns the time at which the draft was saved. */
export async function saveTyped(desk: DeskWork, id: string, fields: DraftFields): Promise<number> {
  const now = desk.watch.readClock();
  await desk.office.drafts.save(id, { ...fields, saved_at: toIsoTime(now) });
  return now;
}

/** A draft that does not open does not prevent reading the case; the page of the finding reports it. */
async function readDraftView(desk: DeskWork, id: string): Promise<DraftView> {
  const page = randomBytes(PAGE_BYTES).toString('base64url');
  try {
    return { page, stored: (await desk.office.drafts.read(id)) ?? {} };
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    return { page, stored: null };
  }
}
