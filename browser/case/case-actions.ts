/** The buyer's actions on the open case, each a form of the page. */
import { offerFileList } from '#browser/files/chosen-files.ts';
import { isErrorWithCode } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { interceptSubmit } from '#browser/ui/async-form.ts';
import { writeStatus } from '#browser/ui/element.ts';
import { findByData, findById, readData } from '#browser/ui/find.ts';
import { isTextControl, readFormContent, readFormValue } from '#browser/ui/form-values.ts';
import { createTextFiller, showTemplate } from '#browser/ui/page-content.ts';
import { showFormFaults } from '#browser/ui/problem-list.ts';
import { saveCalendar } from '#browser/ui/save-and-print.ts';
import { formatFault, say, sayProgress } from '#browser/ui/say.ts';
import { warnOnceTyped } from '#browser/ui/unload-warning.ts';
import { formatPurgedSentence } from '#language/timed-text.ts';
import { CASE_FORM_FIELDS, type CaseActionForm } from '#wire/case-page.ts';
import { enableCalendar } from './call-view.ts';
import type { BrowserCaseView, CaseActionResult } from './case-session.ts';
import { showActionNews } from './case-view.ts';
import type { CaseVisit } from './case-visit.ts';

const REMINDER_FILE = 'reminder.ics';
const REMINDER_MS = 15 * 60_000;

/** What the page shows, and how often the buyer has acted on it. */
export interface ShownState {
  shown: BrowserCaseView;
  acts: number;
  pending: number;
}

interface CaseForms {
  readonly state: ShownState;
  readonly showView: (updated: BrowserCaseView) => void;
  /** Sending counts as activity even without a connection: the buyer is asked to keep the page open. */
  readonly markActivity: () => void;
}

type CaseFormAction = (form: HTMLFormElement, field: string) => Promise<void>;
type EnableForm = (id: CaseActionForm, action: CaseFormAction) => void;
type ShowResult = (result: CaseActionResult, news: string) => void;

/** Connects the forms of the page to the opener. */
export function enableCaseForms(visit: CaseVisit, forms: CaseForms): void {
  const { state, showView } = forms;
  const showResult: ShowResult = ({ opened: updated, refused }, news) => {
    showView(updated);
    showActionNews(refused ? formatFault(refused) : news);
  };
  const enableForm: EnableForm = (id, action) => {
    const form = findById(id);
    const field = CASE_FORM_FIELDS[id];
    if (!form) return;
    const performAction = async () => await countAct(state, async () => await action(form, field));
    interceptSubmit(form, { field, send: () => handlePurged(visit, performAction) });
  };
  enableMessageForms(visit, forms, enableForm, showResult);
  enableCalendar();
  offerReminder(() => state.shown.look_again);
  enableOtherForms(visit, enableForm, showResult);
}

/** Times for the call are sent as a message without text and files. */
function enableMessageForms(
  { opener }: CaseVisit,
  { state, markActivity }: CaseForms,
  enableForm: EnableForm,
  showResult: ShowResult,
): void {
  const chosen = offerFileList((files) => opener.runJob('inspect', files));
  const news = { write: 'case.write.sent', call: 'case.call.sent' } as const;
  const showProgress: ProgressCallback = (share, isWaiting) => {
    markActivity();
    writeStatus(findByData('part', 'sending'), sayProgress(share, isWaiting));
  };
  for (const id of ['write', 'call'] as const) {
    const typed = findById(id);
    if (typed) warnOnceTyped(typed);
    enableForm(id, async (form) => {
      const files = (id === 'write' && (await chosen?.collectFiles())) || [];
      const message = { fields: readFormContent(form).fields, files, seen: state.shown.seen };
      holdForm(form, true);
      const endSending = () => {
        writeStatus(findByData('part', 'sending'), '');
        holdForm(form, false);
      };
      const result = await opener.runJob('write', message, showProgress).finally(endSending);
      if ('faults' in result) return showFormFaults(result.faults);
      if (result.refused === null) form.reset();
      showResult(result, say(news[id]));
    });
  }
}

function enableOtherForms(visit: CaseVisit, enableForm: EnableForm, showResult: ShowResult): void {
  const { opener } = visit;
  enableForm('notify', async (form, field) => {
    const address = readFormValue(form, field);
    try {
      const result = await opener.runJob('act', { form: 'notify', address });
      form.reset();
      showResult(result, say('notice.saved'));
    } catch (error) {
      if (!isErrorWithCode(error, 'validation_failed')) throw error;
      showConfirmationFault(form, field);
    }
  });
  enableForm('silence', async () =>
    showResult(await opener.runJob('act', { form: 'silence' }), say('notice.stopped')),
  );
  enableForm('keep', async (form, field) => {
    const days = Number(readFormValue(form, field));
    const result = await opener.runJob('act', { form: 'keep', keep_days: days });
    showResult(result, say('case.keep.saved', { days }));
  });
  enableForm('withdraw', async (form, field) => {
    if (readFormValue(form, field) !== 'yes') return showConfirmationFault(form, field);
    showResult(await opener.runJob('act', { form: 'withdraw' }), say('case.withdraw.done'));
  });
  enableForm('purge', async (form, field) => {
    if (readFormValue(form, field).trim().toUpperCase() !== readData(form, 'word'))
      return showConfirmationFault(form, field);
    await opener.runJob('purge', undefined);
    visit.end();
    showTemplate('erased', {});
  });
}

async function countAct(state: ShownState, act: () => Promise<unknown>): Promise<void> {
  state.acts += 1;
  state.pending += 1;
  try {
    await act();
  } finally {
    state.pending -= 1;
  }
}

/** A case that was erased meanwhile gets its own page, because no form field is wrong. */
export async function handlePurged(visit: CaseVisit, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isErrorWithCode(error, 'case_purged')) throw error;
    visit.end();
    showTemplate('purged', { sentence: createTextFiller(formatPurgedSentence(say, error.data.purgedOn)) });
  }
}

/** The server provides the message in the page. */
function showConfirmationFault(form: HTMLFormElement, field: string): void {
  showFormFaults([{ field, message: readData(form, 'unsure') ?? '' }]);
}

/** Reads the times at each click, from the case as it was last shown. */
function offerReminder(readTimes: () => readonly number[]): void {
  const title = say('notice.calendar.title');
  const button = findByData('part', 'reminder')?.querySelector('button');
  button?.addEventListener('click', () => {
    const events = readTimes().map((startsAt) => ({
      title,
      startsAt,
      endsAt: startsAt + REMINDER_MS,
      alarmMinutes: 0,
    }));
    saveCalendar(REMINDER_FILE, events);
  });
}

/** Text fields become read-only, so that they can still be focused and read. */
function holdForm(form: HTMLFormElement, isHeld: boolean): void {
  for (const field of form.elements) {
    if (isTextControl(field) && !(field instanceof HTMLSelectElement)) field.readOnly = isHeld;
    else if (!(field instanceof HTMLFieldSetElement)) field.toggleAttribute('disabled', isHeld);
  }
}
