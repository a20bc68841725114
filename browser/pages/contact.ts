/** The contact page: the message is sealed here, and the form stays filled in until it has been sent. */
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { takeOver } from '#browser/ui/async-form.ts';
import { contentOf, recipientsIn } from '#browser/ui/form-values.ts';
import { offerLeaving } from '#browser/ui/leave-button.ts';
import { showInstead } from '#browser/ui/page-content.ts';
import { showProblems } from '#browser/ui/problem-list.ts';
import type { SealerJobs } from '#browser/workers/sealer-jobs.ts';

offerLeaving();
takeOver('form#contact', { send, field: 'message' });

async function send(contact: HTMLFormElement, sealer: PageWorker<SealerJobs>): Promise<void> {
  const { fields } = contentOf(contact);
  const faults = await sealer.ask('contact', { fields, desk: recipientsIn(contact.dataset['desk']) });
  showProblems(faults);
  if (faults.length > 0) return;
  sealer.end();
  showInstead('sent', {});
}
