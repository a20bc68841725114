/** Signing in with the words of a case: only what finds the case leaves this browser. */
import { contentOf } from './form.ts';
import { offerLeaving } from './leaving.ts';
import type { PageWorker } from './page-worker.ts';
import { takeOver } from './sealed-form.ts';
import type { SealerJobs } from './sealer-jobs.ts';

offerLeaving();
takeOver('form#with-words', { send: signIn, field: 'words' });

async function signIn(form: HTMLFormElement, sealer: PageWorker<SealerJobs>): Promise<void> {
  const { words = '', form_token = '' } = Object.fromEntries(contentOf(form).fields);
  const lookup_token = await sealer.ask('lookup', { words });
  sealer.end();
  send(form.action, { form_token, lookup_token });
}

/** By a form of its own: whatever stands in the page's form stays there. */
function send(action: string, fields: Readonly<Record<string, string>>): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}
