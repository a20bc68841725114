/** Handlers for taking back a finding or a decline, which becomes a draft again. */
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { describeDue } from '#desk/model/due-clock.ts';
import { formatFileNames } from '#desk/model/finding-files.ts';
import { type GivenAnswer, readGivenAnswer } from '#desk/model/given-answer.ts';
import { readText } from '#desk/model/unsent-form.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { nameCase } from '#wire/case-name.ts';
import {
  answerAct,
  answerCasePage,
  answerRefused,
  applyAct,
  type CaseRequest,
  readCaseId,
} from '../case/case-handlers.ts';
import { answerWritePage } from './finding-handlers.ts';

export async function answerActs(request: CaseRequest): Promise<DeskAnswer> {
  return readText(request.form, 'act') === 'take_back'
    ? await answerTakeBack(request)
    : await answerAct(request);
}

/**
 * The office deletes an answer that is taken back, so the answer is saved first, but taken back even if saving fails.
 * If the office refuses, the next opening of the case drops the draft.
 */
async function answerTakeBack(request: CaseRequest): Promise<DeskAnswer> {
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
  const fault = held && (await saveGiven(desk, id, held));
  const refused = await applyAct(request, 'take_back');
  if (refused) return refused;
  if (!held || !fault) return await answerTakenBack(desk, id, held?.kind ?? 'markdown');
  const { kind, text } = held;
  const refusal = { fact: 'Taken back, but not saved', kind, why: 'fault', text: fault.message } as const;
  const answer = kind === 'decline' ? answerCasePage : answerWritePage;
  return await answer(request, { typed: { [kind]: text }, refusal });
}

async function saveGiven(
  { office, watch }: DeskWork,
  id: string,
  { kind, text, files }: GivenAnswer,
): Promise<OfficeFault | null> {
  const given = { [kind]: text, files: formatFileNames(files), saved_at: toIsoTime(watch.readClock()) };
  try {
    await office.saveGiven(id, kind, given);
    return null;
  } catch (error) {
    if (error instanceof OfficeFault) return error;
    throw error;
  }
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
