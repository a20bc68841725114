/** The text in a form of a case that its author should not have to type again. */
import type { DraftFields } from '#desk/keys/draft-file.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { formatFileNames, toWaitingName } from './finding-files.ts';

export interface UnsentForm {
  readonly caseId: string;
  readonly fields: DraftFields;
}

/** The field of the draft, by the last part of the path. */
const TEXT_FIELDS: Readonly<Record<string, string>> = {
  messages: 'reply',
  notes: 'note',
  decline: 'decline',
  keep: 'keep',
  finding: 'markdown',
};

/** Null if the form has no text to lose. */
export function readUnsentForm(path: string, form: FormData): UnsentForm | null {
  const [, folder, caseId = '', part = ''] = path.split('/');
  const field = folder === 'cases' && isId(caseId) ? TEXT_FIELDS[part] : undefined;
  if (field === undefined) return null;
  const text = readField(form, 'text') || readField(form, 'note') || readField(form, 'markdown');
  if (text.trim() === '') return null;
  return { caseId, fields: { [field]: text, ...(field === 'markdown' ? readFindingFacts(form) : {}) } };
}

function readFindingFacts(form: FormData): DraftFields {
  const files = form.getAll('file').filter((value) => value instanceof File && value.name !== '') as File[];
  const facts = {
    page: readField(form, 'page'),
    base: readField(form, 'base'),
    files: formatFileNames(files.map(toWaitingName)),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
}

function readField(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
}
