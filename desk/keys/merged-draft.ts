/** Merges typed text into a draft without losing anything that another page has written. */
import { hash } from 'node:crypto';
import type { DraftFields } from './draft-file.ts';

/** The kinds of text that can be typed in a case; its one draft has a field for each, `markdown` for a finding. */
export const DRAFT_KINDS = ['reply', 'note', 'decline', 'keep', 'call', 'markdown'] as const;
export type DraftKind = (typeof DRAFT_KINDS)[number];

/** The fields for the text, the page that saved it, and the time; not the one for another page's earlier text. */
export function listTextFields(kind: DraftKind): readonly string[] {
  return [kind, `${kind}_page`, `${kind}_at`];
}

export function toEarlierField(kind: DraftKind): string {
  return `${kind}_earlier`;
}

/** The mark of the text that a page was made from. */
export function toBaseField(kind: DraftKind): string {
  return `${kind}_base`;
}

/** Identifies the text that a page was made from without containing it. */
export function computeDraftMark(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * `page` is the page on which the texts were typed, `saved_at` when it saved them, and `reply_base` the mark of the
 * reply that it was made from. Texts that `typed` lacks are preserved.
 */
export function mergeDraft(stored: DraftFields, typed: DraftFields): DraftFields {
  const { files = stored['files'] ?? '' } = typed;
  const merged = DRAFT_KINDS.filter((kind) => typed[kind] !== undefined).reduce<DraftFields>(
    (draft, kind) => mergeText(draft, kind, typed),
    { ...stored, files },
  );
  return Object.fromEntries(Object.entries(merged).filter(([, text]) => text !== ''));
}

function mergeText(draft: DraftFields, kind: DraftKind, typed: DraftFields): DraftFields {
  const { [kind]: text = '', page = '', saved_at: savedAt = '', [toBaseField(kind)]: base } = typed;
  const { [kind]: before = '', [`${kind}_page`]: lastPage } = draft;
  const isKnown = (page !== '' && page === lastPage) || base === computeDraftMark(before);
  const earlier =
    isKnown || text.includes(before) ? {} : { [toEarlierField(kind)]: keepBoth(draft, kind, before) };
  const about = text === '' ? { page: '', at: '' } : { page, at: savedAt };
  return { ...draft, [kind]: text, [`${kind}_page`]: about.page, [`${kind}_at`]: about.at, ...earlier };
}

/** Restores a taken-back answer, as the draft or beside one begun meanwhile. Its files are listed as missing. */
export function mergeGiven(stored: DraftFields, kind: DraftKind, given: DraftFields): DraftFields {
  const { [kind]: begun = '' } = stored;
  const { [kind]: text = '' } = given;
  const files = uniteNames(stored, given);
  if (begun === '') return mergeDraft(stored, { ...given, files });
  const merged =
    begun.trim() === text.trim()
      ? stored
      : { ...stored, [toEarlierField(kind)]: keepBoth(stored, kind, text) };
  return files === '' ? merged : { ...merged, files };
}

function keepBoth(draft: DraftFields, kind: DraftKind, text: string): string {
  const { [toEarlierField(kind)]: kept = '' } = draft;
  return kept === '' || kept.includes(text) ? kept || text : `${kept}\n\n${text}`;
}

function uniteNames(...drafts: readonly DraftFields[]): string {
  return [...new Set(drafts.flatMap(({ files = '' }) => files.split('\n').filter(Boolean)))].join('\n');
}

/** Adds texts that were posted while the desk was locked, perhaps by a stranger, without replacing anything. */
export function mergeUnsent(stored: DraftFields, unsent: DraftFields): DraftFields {
  const news = DRAFT_KINDS.flatMap((name) => {
    const { [name]: text = '' } = unsent;
    return stored[name]?.includes(text) ? [] : [[name, text] as const];
  });
  return mergeDraft(stored, { ...Object.fromEntries(news), files: uniteNames(stored, unsent) });
}

/** Removes the sent text from the draft, but not text typed meanwhile, here or in another window. */
export function dropSent(stored: DraftFields, kind: DraftKind, sent: string): DraftFields {
  const isSent = (text = sent) => text.trim() === sent.trim();
  const earlier = toEarlierField(kind);
  return dropFields(stored, [
    ...(isSent(stored[kind]) ? listTextFields(kind) : []),
    ...(isSent(stored[kind]) && kind === 'markdown' ? ['files'] : []),
    ...(isSent(stored[earlier]) ? [earlier] : []),
  ]);
}

export function dropFields(stored: DraftFields, names: readonly string[]): DraftFields {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !names.includes(name)));
}
