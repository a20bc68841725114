/** Leads from the sent page to the case without typing the words, which never leave the memory of this page. */
import { UserFacingError } from '#browser/rpc/fault.ts';
import { runOneAtATime } from '#browser/ui/element.ts';
import { findById } from '#browser/ui/find.ts';
import { toFaultText } from '#browser/ui/say.ts';
import { CASE_PATH, CLOSED_ENTRY, FIRST_ENTRY } from '#wire/case-page.ts';
import { type PartId, WORDS_FIELD } from '#wire/page-parts.ts';

/** If this fails, the words are still shown. */
export function offerWayToCase(words: string): void {
  const link = findById('to-case');
  const status = link?.parentElement?.nextElementSibling;
  const goToCase = runOneAtATime(() =>
    showCasePage(words).catch((error: unknown) => {
      if (status) status.textContent = toFaultText(error);
    }),
  );
  link?.addEventListener('click', (event) => {
    event.preventDefault();
    goToCase();
  });
}

/** The page becomes the case page with its script; a reload loads that page, and Back closes the case. */
async function showCasePage(words: string): Promise<void> {
  const casePage = await fetchDocument(CASE_PATH);
  const script = [...casePage.scripts].find(({ type }) => type === 'module')?.src;
  if (!script || !(await isLoadable(script))) throw new UserFacingError({ code: 'unreachable' });
  replacePart('main', casePage);
  replacePart(`#${'sentences' satisfies PartId}`, casePage);
  document.title = casePage.title;
  history.replaceState(CLOSED_ENTRY, '', CASE_PATH);
  // oxlint-disable-next-line no-restricted-properties -- the entry has a name, and nothing of the case
  history.pushState(FIRST_ENTRY, '', CASE_PATH);
  await import(script);
  const form = findById('find');
  const field = form?.elements.namedItem(WORDS_FIELD);
  if (field instanceof HTMLTextAreaElement) field.value = words;
  form?.requestSubmit();
}

/** The browser parses the page without running or loading anything in it. */
async function fetchDocument(path: string): Promise<Document> {
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', path);
    request.responseType = 'document';
    request.addEventListener('loadend', () => {
      const { status, responseXML: loaded } = request;
      if (status === 200 && loaded) resolve(loaded);
      else reject(new UserFacingError({ code: 'unreachable' }));
    });
    request.send();
  });
}

/** Also caches the script, which must be available once the page is replaced. */
async function isLoadable(path: string): Promise<boolean> {
  return await fetch(path).then(
    ({ ok }) => ok,
    () => false,
  );
}

function replacePart(selector: string, from: Document): void {
  const part = from.querySelector(selector);
  if (part) document.querySelector(selector)?.replaceWith(part);
}
