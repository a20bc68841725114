/** The case page: the words stay in this browser, which opens the case with them. */

import { handlePurged } from '#browser/case/case-actions.ts';
import { createCaseVisit } from '#browser/case/case-visit.ts';
import { startCasePage } from '#browser/case/open-case-page.ts';
import { enhanceForm } from '#browser/ui/async-form.ts';
import { countTypedCharacters } from '#browser/ui/character-count.ts';
import { showTop } from '#browser/ui/element.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import { clearTypedText, readFormValue } from '#browser/ui/form-values.ts';
import { createTextFiller, showLanguageChoice, showMainContent } from '#browser/ui/page-content.ts';
import { clearFormFaults } from '#browser/ui/problem-list.ts';
import { hideTitleWhilePrinting } from '#browser/ui/save-and-print.ts';
import type { OpenerJobs } from '#browser/workers/opener.ts';
import { PRINTED_CLASS, STARTING_CLASS, WORDS_FIELD } from '#wire/page-parts.ts';

countTypedCharacters();
fillTimeZone();
hideTitleWhilePrinting(`.${PRINTED_CLASS}:not(:empty)`);
startCaseLookup();

/** Fills in the browser's own zone once a field is focused, unless the buyer has typed one. */
function fillTimeZone(): void {
  document.addEventListener('focusin', () => {
    const field = findById('call_zone');
    if (field?.value === '') field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
}

/** The form for the words opens the case, and is shown again, without any typed text, once the case is closed. */
function startCaseLookup(untouched = copyLookup()): void {
  const showLookup = (reason: string) => {
    const { title, content } = untouched;
    // Until the worker has started, the page must not say where the words are sent.
    document.documentElement.classList.add(STARTING_CLASS);
    const main = showMainContent(content.cloneNode(true));
    showLanguageChoice(true);
    document.title = title;
    clearFormFaults();
    const note = findByData('slot', 'closed');
    if (note) createTextFiller(reason)(note);
    showTop(main?.querySelector('h1'));
    startCaseLookup(untouched);
  };
  enhanceForm<OpenerJobs>('find', {
    field: WORDS_FIELD,
    send: async (find, opener) => {
      const visit = createCaseVisit(opener);
      await handlePurged(visit, async () => {
        const opened = await opener.runJob('open', { words: readFormValue(find, WORDS_FIELD) });
        find.reset();
        startCasePage(opened, visit, showLookup);
      });
    },
  });
}

interface UntouchedLookup {
  readonly title: string;
  readonly content: DocumentFragment;
}

/** Leaves out the templates, which stay in the page, and empties the fields of text typed before the script ran. */
function copyLookup(): UntouchedLookup {
  const content = document.createDocumentFragment();
  for (const node of document.querySelector('main')?.childNodes ?? [])
    if (!(node instanceof HTMLTemplateElement)) content.append(node.cloneNode(true));
  clearTypedText(content.querySelectorAll('*'));
  return { title: document.title, content };
}
