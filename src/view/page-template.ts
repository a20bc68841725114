/** A page that waits within another one until the script of that page shows it. */
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';

export function renderPageTemplate(id: string, { title, main }: Pick<Page, 'title' | 'main'>): Html {
  return html`<template id="${id}" data-title="${title}">${main}</template>`;
}
