/** The files of a case for a buyer without a script: each a button that sends the words. */
import type { Say } from '#language/catalogue.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import { type Html, html } from '#view/html.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

export function renderFileRows(say: Say, files: readonly CaseFile[], words: string): Html | null {
  return files.length > 0
    ? html`<ul class="files">${files.map((file) => renderFileRow(say, file, words))}</ul>`
    : null;
}

function renderFileRow(say: Say, { kind, seq, label }: CaseFile, words: string): Html {
  return html`<li><form method="post" action="/case/file"><input type="hidden" name="${WORDS_FIELD}" value="${words}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="seq" value="${seq}"><button class="button quiet" type="submit" dir="auto">${say('case.file.save', { file: label })}</button></form></li>`;
}
