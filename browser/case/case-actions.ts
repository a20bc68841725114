/** What the buyer does on the open case: each act is a form of the page. */
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { interceptSubmit } from '#browser/ui/async-form.ts';
import { findById, readData } from '#browser/ui/find.ts';
import { readFormContent, readFormValue } from '#browser/ui/form-values.ts';
import { createTextFiller, showTemplate } from '#browser/ui/page-content.ts';
import { showFormFaults } from '#browser/ui/problem-list.ts';
import type { BrowserCaseView, CaseActionResult, OpenerJobs } from '#browser/workers/opener-jobs.ts';
import { CASE_FORM_FIELDS, CASE_NEWS, type CaseForm } from '#wire/case-page.ts';
import { type FindingFileRow, showOpenedCase, updateShownCase } from './case-view.ts';
import { enableFileDownload } from './save-file.ts';

/** Shows the case, and keeps the opener for what is done to it. */
export function startCasePage(opened: BrowserCaseView, opener: PageWorker<OpenerJobs>): void {
  const enableDownload = (row: FindingFileRow) => enableFileDownload(row, opener);
  const showActionResult = ({ opened: now, refused }: CaseActionResult, news: string) =>
    updateShownCase(now, refused ?? news, enableDownload);
  showOpenedCase(opened, enableDownload);

  const enableForm = (id: CaseForm, act: (form: HTMLFormElement, field: string) => Promise<void>) => {
    const form = findById(id);
    const field = CASE_FORM_FIELDS[id];
    if (form) interceptSubmit(form, { field, send: () => handlePurged(opener, () => act(form, field)) });
  };
  enableForm('write', async (form) => {
    const answer = await opener.runJob('write', { fields: readFormContent(form).fields });
    if ('faults' in answer) return showFormFaults(answer.faults);
    if (answer.refused === null) form.reset();
    showActionResult(answer, CASE_NEWS.write);
  });
  enableForm('keep', async (form, field) => {
    const days = Number(readFormValue(form, field));
    showActionResult(await opener.runJob('keep', { days }), CASE_NEWS.keep(days));
  });
  enableForm('withdraw', async (form, field) => {
    if (readFormValue(form, field) !== 'yes') return showConfirmationFault(form, field);
    showActionResult(await opener.runJob('withdraw', null), CASE_NEWS.withdraw);
  });
  enableForm('purge', async (form, field) => {
    if (readFormValue(form, field).trim().toUpperCase() !== readData(form, 'word'))
      return showConfirmationFault(form, field);
    await opener.runJob('purge', null);
    opener.terminate();
    showTemplate('erased', {});
  });
}

/** A case that was erased meanwhile is told on a page of its own: no form is to blame. */
export async function handlePurged(opener: PageWorker<OpenerJobs>, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof UserFacingError && error.code === 'case_purged')) throw error;
    opener.terminate();
    showTemplate('purged', { sentence: createTextFiller(error.message) });
  }
}

/** In the words that the page brings along. */
function showConfirmationFault(form: HTMLFormElement, field: string): void {
  showFormFaults([{ field, message: readData(form, 'unsure') ?? '' }]);
}
