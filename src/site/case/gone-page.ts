/** What is shown once nothing of a case is left: by the server, and as templates for the script of the page. */
import { messagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import type { Page } from '#view/page.ts';

const next = { href: '/', text: 'Go to the first page' };

/** To the buyer who wanted it so, at once. */
export const erasedPage = messagePage({
  title: 'Everything was erased',
  paragraphs: [
    'Your question, files, messages and answer are gone, and so is the key to any copy on our disks.',
  ],
  next,
});

/** To whoever comes back with the words. */
export function purgedPage(sentence: Html | string): Page {
  return messagePage({ status: 410, title: 'This case was erased', paragraphs: [sentence], next });
}

const purged = purgedPage(html`<span data-slot="sentence"></span>`);

export const goneTemplates = html`<template id="erased" data-title="${erasedPage.title}">${erasedPage.main}</template>
<template id="purged" data-title="${purged.title}">${purged.main}</template>`;
