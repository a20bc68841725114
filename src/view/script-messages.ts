/** Brings the sentences of scripts with the page, so that a script knows no language. */
import type { Language } from '#language/language.ts';
import { SCRIPT_SENTENCES } from '#language/script-sentences.ts';
import { PART_IDS } from '#wire/page-parts.ts';
import { type Html, html } from './html.ts';

export function renderScriptMessages(language: Language): Html {
  const messages = Object.fromEntries(SCRIPT_SENTENCES.map((key) => [key, language.getMessage(key)]));
  return html`<template id="${PART_IDS.sentences}">${JSON.stringify(messages)}</template>`;
}
