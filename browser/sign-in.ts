/** Signing in with the words of a case: only what finds the case leaves this browser. */
import { contentOf } from './form.ts';
import { offerLeaving } from './leaving.ts';
import { takeOver } from './sealed-form.ts';
import type { Sealing } from './sealing.ts';

offerLeaving();
takeOver('form#with-words', { send: signIn, field: 'words' });

async function signIn(form: HTMLFormElement, sealing: Sealing): Promise<boolean> {
  const { words = '', form_token = '' } = Object.fromEntries(contentOf(form).fields);
  const lookup_token = await sealing.ask('lookup', { words });
  send(form.action, { form_token, lookup_token });
  return true;
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
