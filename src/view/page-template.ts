/** Renders a page as a `<template>` inside another page, whose script shows it later. */
import { type Html, html } from './html.ts';
import type { HtmlPage } from './page.ts';

export function renderPageTemplate(id: string, { title, main }: Pick<HtmlPage, 'title' | 'main'>): Html {
  return html`<template id="${id}" data-title="${title}">${main}</template>`;
}
