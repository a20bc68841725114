/** The buttons for messages that the page without a script leaves out, because it opens only some at a time. */
import type { MessageWindow } from '#cases/messages/message-window.ts';
import type { Say } from '#language/catalogue.ts';
import { type Html, html } from '#view/html.ts';
import { CASE_PATH } from '#wire/case-page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

/** How many of the newest messages are skipped. */
export const NEWER_FIELD = 'newer';

export function renderOlderMessages(say: Say, words: string, { newer, older }: MessageWindow): Html {
  return html`${older === null ? null : renderWindowForm(words, older, say('case.messages.older'))}${newer === 0 ? null : renderWindowForm(words, 0, say('case.messages.newest'))}`;
}

function renderWindowForm(words: string, newer: number, label: string): Html {
  return html`<form method="post" action="${CASE_PATH}" autocomplete="off"><input type="hidden" name="${WORDS_FIELD}" value="${words}"><input type="hidden" name="${NEWER_FIELD}" value="${newer}"><p><button class="button quiet" type="submit">${label}</button></p></form>`;
}
