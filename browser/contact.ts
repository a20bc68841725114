/** The contact page: the message is sealed here, and the form stays filled in until it has been sent. */
import { contentOf, recipientsIn } from './form.ts';
import { offerLeaving } from './leaving.ts';
import type { PageWorker } from './page-worker.ts';
import { showProblems } from './problems.ts';
import { takeOver } from './sealed-form.ts';
import type { SealerJobs } from './sealer-jobs.ts';
import { showInstead } from './shown-page.ts';

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
