/** Data for programs within a page: an element that browsers neither run nor show (WHATWG HTML §4.12.1). */
import { Html } from './html.ts';

/** JSON may write every character as an escape, so nothing in it can end the element or begin a comment. */
export function renderLinkedData(data: Readonly<Record<string, unknown>>): Html {
  const json = JSON.stringify(data).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
  return new Html(`<script type="application/ld+json">${json}</script>`);
}
