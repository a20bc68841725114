/** Signing in with the words of a case: only what finds the case leaves this browser. */
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { takeOver } from '#browser/ui/async-form.ts';
import { contentOf } from '#browser/ui/form-values.ts';
import { offerLeaving } from '#browser/ui/leave-button.ts';
import type { SealerJobs } from '#browser/workers/sealer-jobs.ts';

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
