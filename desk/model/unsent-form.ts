/** The texts in a form of a case that their author should not have to type again. */
import type { CaseDraft, DraftFields } from '#desk/keys/draft-file.ts';
import { DRAFT_KINDS, type DraftKind } from '#desk/keys/merged-draft.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { formatFileNames, toWaitingName } from './finding-files.ts';

/** The kind of text that a form sends, by the last part of its path; other forms send each text under its own name. */
const TEXT_KINDS: Readonly<Record<string, DraftKind>> = {
  messages: 'reply',
  decline: 'decline',
  keep: 'keep',
};
const NAMED_TEXTS = ['drafts', 'notes', 'finding'];

/** Null if the form has no text to lose. */
export function readUnsentForm(path: string, form: FormData): CaseDraft | null {
  const [, folder, caseId = '', part = ''] = path.split('/');
  if (folder !== 'cases' || !isId(caseId)) return null;
  const kind = TEXT_KINDS[part];
  const named = NAMED_TEXTS.includes(part) ? readDraftTexts(form) : {};
  const texts = kind === undefined ? named : { [kind]: readText(form, 'text') };
  const filled = Object.entries(texts).filter(([, text]) => text.trim() !== '');
  if (filled.length === 0) return null;
  return { caseId, fields: { ...Object.fromEntries(filled), ...readFileNames(form) } };
}

/** An empty text means that its field was emptied. */
export function readDraftTexts(form: FormData): DraftFields {
  const given = DRAFT_KINDS.filter((kind) => form.has(kind));
  return Object.fromEntries(given.map((kind) => [kind, readText(form, kind)]));
}

function readFileNames(form: FormData): DraftFields {
  const files = form.getAll('file').filter((value) => value instanceof File && value.name !== '') as File[];
  return files.length === 0 ? {} : { files: formatFileNames(files.map(toWaitingName)) };
}

/** The text of a field that a form has at most once; empty without it. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
}
