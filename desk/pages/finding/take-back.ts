/** Answers for a finding or a decline that is taken back: it becomes a draft again. */
import type { DraftFields } from '#desk/keys/draft-file.ts';
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { describeDue } from '#desk/model/due-clock.ts';
import { formatFileNames } from '#desk/model/finding-files.ts';
import { readText } from '#desk/model/unsent-form.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { nameCase } from '#wire/case-name.ts';
import { saveTyped } from '../case/case-draft.ts';
import { answerAct, answerCasePage, applyAct, type CaseRequest, readCaseId } from '../case/case-handlers.ts';
import { answerWritePage } from './finding-handlers.ts';

export async function answerActs(request: CaseRequest): Promise<DeskAnswer> {
  return readText(request.form, 'act') === 'take_back'
    ? await answerTakeBack(request)
    : await answerAct(request);
}

/** The office is asked before the text is saved: what stays delivered or declined is no draft. */
async function answerTakeBack(request: CaseRequest): Promise<DeskAnswer> {
  const { desk } = request;
  const id = readCaseId(request);
  const held = readHeldText((await desk.openCase(id)).opened);
  const refused = await applyAct(request, 'take_back');
  if (refused) return refused;
  try {
    await saveHeldText(desk, id, held);
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    const { kind, fields } = held;
    const typed = { [kind]: fields[kind] ?? '' };
    const refusal = { fact: 'Taken back, but not saved', kind, why: 'fault', text: error.message } as const;
    const answer = kind === 'decline' ? answerCasePage : answerWritePage;
    return await answer(request, { typed, refusal });
  }
  return await answerTakenBack(desk, id, held.kind);
}

interface HeldText {
  readonly kind: 'decline' | 'markdown';
  readonly fields: DraftFields;
}

/** Also if it was delivered or declined from another machine. */
function readHeldText({
  facts,
  content: { messages, finding },
}: Awaited<ReturnType<DeskWork['openCase']>>['opened']): HeldText {
  if (facts.state === 'declined') {
    const reason = messages.findLast(({ by }) => by === 'desk')?.said;
    return {
      kind: 'decline',
      fields: reason && 'content' in reason ? { decline: reason.content.text } : {},
    };
  }
  if (!finding || !('content' in finding)) return { kind: 'markdown', fields: {} };
  const { markdown, files } = finding.content;
  return {
    kind: 'markdown',
    fields: { markdown, files: formatFileNames(files.map(({ name }) => name)) },
  };
}

/** A draft that was begun meanwhile stays. */
async function saveHeldText(desk: DeskWork, id: string, { kind, fields }: HeldText): Promise<void> {
  const draft = (await desk.office.readDraft(id)) ?? {};
  if (draft[kind] === undefined && fields[kind] !== undefined) await saveTyped(desk, id, fields);
}

async function answerTakenBack(desk: DeskWork, id: string, kind: HeldText['kind']): Promise<DeskAnswer> {
  const { facts } = (await desk.openCase(id)).opened;
  const due = describeDue(facts, desk.watch.readClock()).sentence.toLowerCase();
  desk.say({
    strong: 'Taken back.',
    text: `The buyer has not seen the ${kind === 'decline' ? 'reason' : 'finding'} of ${nameCase(id)}, which is a draft again. The case is ${due}.`,
  });
  return { redirect: kind === 'decline' ? `/cases/${id}#decline-text` : `/cases/${id}/finding` };
}
