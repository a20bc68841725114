/** What the buyer does on the open case: each act is a form of the page. */
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { interceptSubmit } from '#browser/ui/async-form.ts';
import { readFormContent } from '#browser/ui/form-values.ts';
import { createTextFiller, showTemplate } from '#browser/ui/page-content.ts';
import { showFormFaults } from '#browser/ui/problem-list.ts';
import type { BrowserCaseView, CaseActionResult, OpenerJobs } from '#browser/workers/opener-jobs.ts';
import { type FindingFileRow, showOpenedCase, updateShownCase } from './case-view.ts';
import { enableFileDownload } from './save-file.ts';

/** Shows the case, and keeps the opener for what is done to it. */
export function startCasePage(opened: BrowserCaseView, opener: PageWorker<OpenerJobs>): void {
  const enableDownload = (row: FindingFileRow) => enableFileDownload(row, opener);
  const showActionResult = ({ opened: now, refused }: CaseActionResult, news: string) =>
    updateShownCase(now, refused ?? news, enableDownload);
  showOpenedCase(opened, enableDownload);

  const enableForm = (id: string, field: string, act: (form: HTMLFormElement) => Promise<void>) => {
    const form = document.querySelector<HTMLFormElement>(`form#${id}`);
    if (form) interceptSubmit(form, { field, send: () => handlePurged(opener, () => act(form)) });
  };
  enableForm('write', 'message', async (form) => {
    const answer = await opener.runJob('write', { fields: readFormContent(form).fields });
    if ('faults' in answer) return showFormFaults(answer.faults);
    if (answer.refused === null) form.reset();
    showActionResult(answer, 'Your message was sent.');
  });
  enableForm('keep', 'keep_days', async (form) => {
    const days = Number(readFormValue(form, 'keep_days'));
    showActionResult(
      await opener.runJob('keep', { days }),
      `The file is erased ${days} days after our answer.`,
    );
  });
  enableForm('withdraw', 'withdraw_sure', async (form) => {
    if (readFormValue(form, 'withdraw_sure') !== 'yes') return showConfirmationFault(form, 'withdraw_sure');
    showActionResult(await opener.runJob('withdraw', null), 'Your case is withdrawn.');
  });
  enableForm('purge', 'erase', async (form) => {
    if (readFormValue(form, 'erase').trim().toUpperCase() !== form.dataset['word'])
      return showConfirmationFault(form, 'erase');
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

function readFormValue(form: HTMLFormElement, name: string): string {
  return new Map(readFormContent(form).fields).get(name) ?? '';
}

/** In the words that the page brings along. */
function showConfirmationFault({ dataset: { unsure = '' } }: HTMLFormElement, field: string): void {
  showFormFaults([{ field, message: unsure }]);
}
