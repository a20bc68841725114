/** Signing in with the words of a case: only what finds the case leaves this browser. */
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { enhanceForm } from '#browser/ui/async-form.ts';
import { readFormContent } from '#browser/ui/form-values.ts';
import { enableQuickExit } from '#browser/ui/leave-button.ts';
import type { SealerJobs } from '#browser/workers/sealer-jobs.ts';

enableQuickExit();
enhanceForm('form#with-words', { send: signInWithWords, field: 'words' });

async function signInWithWords(form: HTMLFormElement, sealer: PageWorker<SealerJobs>): Promise<void> {
  const { words = '', form_token = '' } = Object.fromEntries(readFormContent(form).fields);
  const lookup_token = await sealer.runJob('lookup', { words });
  sealer.terminate();
  postHiddenForm(form.action, { form_token, lookup_token });
}

/** By a form of its own: whatever stands in the page's form stays there. */
function postHiddenForm(action: string, fields: Readonly<Record<string, string>>): void {
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
