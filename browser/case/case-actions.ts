/** The buyer's actions on the open case, each a form of the page. */
import { isErrorWithCode } from '#browser/rpc/fault.ts';
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { interceptSubmit } from '#browser/ui/async-form.ts';
import { formatFault } from '#browser/ui/fault-text.ts';
import { findById, readData } from '#browser/ui/find.ts';
import { readFormContent, readFormValue } from '#browser/ui/form-values.ts';
import { createTextFiller, showTemplate } from '#browser/ui/page-content.ts';
import { showFormFaults } from '#browser/ui/problem-list.ts';
import { say } from '#browser/ui/say.ts';
import type { BrowserCaseView, CaseActionResult, OpenerJobs } from '#browser/workers/opener-jobs.ts';
import { formatPurgedSentence } from '#language/timed-text.ts';
import { CASE_FORM_FIELDS, type CaseActionForm } from '#wire/case-page.ts';
import { type CaseFileRow, showOpenedCase, updateShownCase } from './case-view.ts';
import { enableFileDownload } from './save-file.ts';

/** Shows the case and connects its forms to the opener. */
export function startCasePage(opened: BrowserCaseView, opener: PageWorker<OpenerJobs>): void {
  const enableDownload = (row: CaseFileRow) => enableFileDownload(row, opener);
  let { seen } = opened;
  const showActionResult = ({ opened: updated, refused }: CaseActionResult, news: string) => {
    updateShownCase(updated, refused ? formatFault(refused) : news, enableDownload);
    ({ seen } = updated);
  };
  showOpenedCase(opened, enableDownload);

  const enableForm = (
    id: CaseActionForm,
    action: (form: HTMLFormElement, field: string) => Promise<void>,
  ) => {
    const form = findById(id);
    const field = CASE_FORM_FIELDS[id];
    if (form) interceptSubmit(form, { field, send: () => handlePurged(opener, () => action(form, field)) });
  };
  enableForm('write', async (form) => {
    const result = await opener.runJob('write', { fields: readFormContent(form).fields, seen });
    if ('faults' in result) return showFormFaults(result.faults);
    if (result.refused === null) form.reset();
    showActionResult(result, say('case.write.sent'));
  });
  enableForm('keep', async (form, field) => {
    const days = Number(readFormValue(form, field));
    showActionResult(await opener.runJob('keep', { days }), say('case.keep.saved', { days }));
  });
  enableForm('notify', async (form, field) => {
    const address = readFormValue(form, field);
    try {
      const result = await opener.runJob('notify', { address });
      form.reset();
      showActionResult(result, say('notice.saved'));
    } catch (error) {
      if (!isErrorWithCode(error, 'validation_failed')) throw error;
      showConfirmationFault(form, field);
    }
  });
  enableForm('silence', async () =>
    showActionResult(await opener.runJob('silence', null), say('notice.stopped')),
  );
  enableForm('withdraw', async (form, field) => {
    if (readFormValue(form, field) !== 'yes') return showConfirmationFault(form, field);
    showActionResult(await opener.runJob('withdraw', null), say('case.withdraw.done'));
  });
  enableForm('purge', async (form, field) => {
    if (readFormValue(form, field).trim().toUpperCase() !== readData(form, 'word'))
      return showConfirmationFault(form, field);
    await opener.runJob('purge', null);
    opener.terminate();
    showTemplate('erased', {});
  });
}

/** A case that was erased meanwhile gets its own page, since no form field is wrong. */
export async function handlePurged(
  opener: PageWorker<OpenerJobs>,
  action: () => Promise<void>,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isErrorWithCode(error, 'case_purged')) throw error;
    opener.terminate();
    showTemplate('purged', { sentence: createTextFiller(formatPurgedSentence(say, error.data.purgedOn)) });
  }
}

/** The server provides the message in the page. */
function showConfirmationFault(form: HTMLFormElement, field: string): void {
  showFormFaults([{ field, message: readData(form, 'unsure') ?? '' }]);
}
