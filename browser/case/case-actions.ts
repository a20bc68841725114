/** What the buyer does on the open case: each act is a form of the page. */
import { Fault } from '#browser/rpc/fault.ts';
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { answerHere } from '#browser/ui/async-form.ts';
import { contentOf } from '#browser/ui/form-values.ts';
import { showInstead, text } from '#browser/ui/page-content.ts';
import { showProblems } from '#browser/ui/problem-list.ts';
import type { Acted, OpenedCase, OpenerJobs } from '#browser/workers/opener-jobs.ts';
import { type FileRow, showCase, showChange } from './case-view.ts';
import { offerSaving } from './save-file.ts';

/** Shows the case, and keeps the opener for what is done to it. */
export function offerCase(opened: OpenedCase, opener: PageWorker<OpenerJobs>): void {
  const offerFile = (row: FileRow) => offerSaving(row, opener);
  const tell = ({ opened: now, refused }: Acted, news: string) => showChange(now, refused ?? news, offerFile);
  showCase(opened, offerFile);

  const offer = (id: string, field: string, act: (form: HTMLFormElement) => Promise<void>) => {
    const form = document.querySelector<HTMLFormElement>(`form#${id}`);
    if (form) answerHere(form, { field, send: () => unlessGone(opener, () => act(form)) });
  };
  offer('write', 'message', async (form) => {
    const answer = await opener.ask('write', { fields: contentOf(form).fields });
    if ('faults' in answer) return showProblems(answer.faults);
    if (answer.refused === null) form.reset();
    tell(answer, 'Your message was sent.');
  });
  offer('keep', 'keep_days', async (form) => {
    const days = Number(valueIn(form, 'keep_days'));
    tell(await opener.ask('keep', { days }), `The file is erased ${days} days after our answer.`);
  });
  offer('withdraw', 'withdraw_sure', async (form) => {
    if (valueIn(form, 'withdraw_sure') !== 'yes') return showUnsure(form, 'withdraw_sure');
    tell(await opener.ask('withdraw', null), 'Your case is withdrawn.');
  });
  offer('purge', 'erase', async (form) => {
    if (valueIn(form, 'erase').trim().toUpperCase() !== form.dataset['word'])
      return showUnsure(form, 'erase');
    await opener.ask('purge', null);
    opener.end();
    showInstead('erased', {});
  });
}

/** A case that was erased meanwhile is told on a page of its own: no form is to blame. */
export async function unlessGone(opener: PageWorker<OpenerJobs>, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'case_purged')) throw error;
    opener.end();
    showInstead('purged', { sentence: text(error.message) });
  }
}

function valueIn(form: HTMLFormElement, name: string): string {
  return new Map(contentOf(form).fields).get(name) ?? '';
}

/** In the words that the page brings along. */
function showUnsure({ dataset: { unsure = '' } }: HTMLFormElement, field: string): void {
  showProblems([{ field, message: unsure }]);
}
