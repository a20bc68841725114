/** The links in the frame with which a reader chooses a language, without a script. */
import type { Language } from '#language/language.ts';
import { SERVED_LANGUAGES } from '#language/languages.ts';
import { PART_IDS } from '#wire/page-parts.ts';
import { type Html, html } from './html.ts';

export const LANGUAGE_PARAMETER = 'language';

/** The links are the address of the page with a parameter. The fragment brings the reader back to this place. */
export function renderLanguageChoice({ tag, say }: Language): Html {
  const choices = SERVED_LANGUAGES.map((served) => {
    const name = served.say('language.name');
    return served.tag === tag
      ? html`<li><span aria-current="true">${name}</span></li>`
      : html`<li><a href="?${LANGUAGE_PARAMETER}=${served.tag}#${PART_IDS.languages}" lang="${served.tag}" hreflang="${served.tag}" rel="nofollow">${name}</a></li>`;
  });
  return html`<nav class="languages" id="${PART_IDS.languages}" aria-label="${say('frame.languages')}"><ul>${choices}</ul></nav>`;
}
