/** How what was typed becomes part of a draft: nothing that another page has written is lost. */
import { hash } from 'node:crypto';
import type { DraftFields } from './draft-file.ts';

/** Of a finding: its text, the names of its files, what another page had written, and by which page and when. */
export const FINDING_FIELDS = ['markdown', 'files', 'earlier', 'page', 'saved_at'] as const;
/** Worth nothing by themselves. */
const ABOUT_FIELDS: readonly string[] = ['page', 'saved_at'];

/** Tells a page what it was made from, without the text itself. */
export function computeDraftMark({ markdown = '' }: DraftFields): string {
  return hash('sha256', markdown, 'base64url');
}

/** `base` is the mark of the draft that the page was made from. */
export function mergeDraft(stored: DraftFields, { base, ...typed }: DraftFields): DraftFields {
  const { markdown: before = '', page } = stored;
  const isOwn = page !== undefined && page === typed['page'];
  const isOverwritten = before !== '' && typed['markdown'] !== undefined && typed['markdown'] !== before;
  const isFromElsewhere = isOverwritten && !isOwn && base !== computeDraftMark(stored);
  return dropEmptyFields({ ...stored, ...typed, ...(isFromElsewhere ? { earlier: before } : {}) });
}

/**
 * What came while the desk was locked, perhaps from a stranger: it replaces nothing, whatever page it claims to be from.
 * Messages and notes are short: both stand in the field, one below the other.
 */
export function mergeUnsent(
  stored: DraftFields,
  { page: _page, base: _base, ...unsent }: DraftFields,
): DraftFields {
  const merged = mergeDraft(stored, unsent);
  const joined = Object.entries(unsent)
    .filter(([name]) => !FINDING_FIELDS.some((field) => field === name))
    .map(([name, text]) => [name, joinTexts(stored[name] ?? '', text)] as const);
  return { ...merged, ...Object.fromEntries(joined) };
}

export function dropFields(stored: DraftFields, names: readonly string[]): DraftFields {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !names.includes(name)));
}

function joinTexts(before: string, after: string): string {
  if (after.includes(before)) return after;
  return before.includes(after) ? before : `${before}\n\n${after}`;
}

function dropEmptyFields(fields: DraftFields): DraftFields {
  const filled = Object.entries(fields).filter(([, text]) => text !== '');
  return filled.some(([name]) => !ABOUT_FIELDS.includes(name)) ? Object.fromEntries(filled) : {};
}
