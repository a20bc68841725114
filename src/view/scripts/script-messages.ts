/** Brings the sentences of a script with its page, so that a script knows no language. */
import type { SentenceKey } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { SCRIPT_SENTENCES } from '#language/script-sentences.ts';
import { PART_IDS } from '#wire/page-parts.ts';
import { type Html, html } from '../html.ts';
import type { ScriptName } from './script-names.ts';

/** Null for a script that says nothing. */
export function renderScriptMessages(language: Language, script: ScriptName): Html | null {
  const keys: readonly SentenceKey[] = SCRIPT_SENTENCES[script];
  if (keys.length === 0) return null;
  const messages = Object.fromEntries(keys.map((key) => [key, language.getMessage(key)]));
  return html`<template id="${PART_IDS.sentences}">${JSON.stringify(messages)}</template>`;
}
