/** Signing in with the words of a case: only the lookup token leaves this browser. */
import type { PageWorker } from '#browser/rpc/page-end.ts';
import { enhanceForm } from '#browser/ui/async-form.ts';
import { createElement } from '#browser/ui/element.ts';
import { readFormValue } from '#browser/ui/form-values.ts';
import type { SealerJobs } from '#browser/workers/sealer.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { FORM_TOKEN_FIELD, LOOKUP_TOKEN_FIELD } from '#wire/sign-in-page.ts';

enhanceForm('with-words', { send: signInWithWords, field: WORDS_FIELD });

async function signInWithWords(form: HTMLFormElement, sealer: PageWorker<SealerJobs>): Promise<void> {
  const lookupToken = await sealer.runJob('lookup', { words: readFormValue(form, WORDS_FIELD) });
  sealer.terminate();
  postHiddenForm(form.action, {
    [FORM_TOKEN_FIELD]: readFormValue(form, FORM_TOKEN_FIELD),
    [LOOKUP_TOKEN_FIELD]: lookupToken,
  });
}

/** Uses a separate form, so that the words in the page's form are not sent. */
function postHiddenForm(action: string, fields: Readonly<Record<string, string>>): void {
  const inputs = Object.entries(fields).map(([name, value]) =>
    createElement('input', { type: 'hidden', name, value }),
  );
  const form = createElement('form', { method: 'post', action, hidden: '' }, ...inputs);
  document.body.append(form);
  (form as HTMLFormElement).submit();
}
