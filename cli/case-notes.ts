/** The command that writes a note for the other investigators, and the section in which an opened case shows them. */
import { computeNextNoteSeq, type OpenedNote, openCaseNotes } from '#cases/notes.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { type AgeRecipient, deriveRecipient } from '#seal/age.ts';
import { computeHolder } from '#seal/holder.ts';
import { type CaseNote, listNotesWithGaps, sealCaseNote, validateCaseNote } from '#seal/note.ts';
import { formatTimeOrDash, toCaseRecordJson } from './case-facts.ts';
import { withCaseWorkspace } from './case-workspace.ts';
import { createCommand } from './command.ts';
import { CommandFailure } from './failure.ts';
import { formatHolderWithKey, type HolderNames } from './holder-name.ts';
import { officeKeyHelp, officeKeyOptions, readDeskAccess } from './pinning-key.ts';
import { indentText } from './table.ts';
import { messageTextHelp, messageTextOptions, readMessageText } from './typed-text.ts';

export const writeNoteCommand = createCommand({
  usage: 'cases note ID --key FILE [--text TEXT|--file FILE] [--yes]',
  about: `Write a note in a case for the other investigators. The buyer never sees it.
It is sealed to the desk keys of the configuration, or of the office.`,
  help: [
    ...officeKeyHelp,
    ...messageTextHelp,
    ['--yes', 'do not ask about people of the office whom your key does not know'],
  ],
  options: { ...officeKeyOptions, ...messageTextOptions, yes: { type: 'boolean' } },
  operands: 1,
  work: async (values, [id]) => {
    const desk = await readDeskAccess(values);
    const author = await deriveRecipient(desk.identity);
    const by = computeHolder(author);
    const note = requireValidNote({ text: await readMessageText(values), by });
    return await withCaseWorkspace(id, desk, async (workspace, source) => {
      const { file, opened } = workspace;
      workspace.requireWritable();
      const readers = await source.readNoteReaders(values.yes === true);
      requireReader(readers, author);
      const json = { case: toCaseRecordJson(file.record, source.now()) };
      const last = (await openCaseNotes(file, opened.key, desk.identity)).at(-1);
      if (isSameNote(last, note))
        return {
          text: 'This is already the last note; nothing was written.\n',
          json: { ...json, repeated: true },
        };
      const seq = computeNextNoteSeq(file.objects);
      const sealed = await sealCaseNote(opened.key, readers, { seq, note });
      await source.addNote(file.record.id, { seq, sealed, by });
      return { text: 'Noted. Only the desk can read it.\n', json };
    });
  },
});

function requireReader(readers: readonly AgeRecipient[], author: AgeRecipient): void {
  if (readers.includes(author)) return;
  throw new CommandFailure(
    'This key is not one of the desk in this configuration, so no note was written: you could not read it yourself.',
    EXIT_CODES.noPermission,
  );
}

/** Detects a command that is run again because its output was lost. */
function isSameNote(last: OpenedNote | undefined, { text, by }: CaseNote): boolean {
  if (!last || !('content' in last.note)) return false;
  return last.note.content.text === text && last.note.content.by === by;
}

function requireValidNote(value: CaseNote): CaseNote {
  const result = validateCaseNote(value);
  if ('note' in result) return result.note;
  throw new CommandFailure(`${result.errors.map(({ detail }) => detail).join('; ')}.`, EXIT_CODES.failure);
}

/** What is in brackets is not indented, so that no author can imitate it. */
export function formatNotesSection(notes: readonly OpenedNote[], names: HolderNames): string[] {
  if (notes.length === 0) return [];
  const entries = listNotesWithGaps(notes).map((entry) => {
    if ('missing' in entry) return `[${formatMissingNotes(entry.missing)}]\n`;
    const { at, note } = entry;
    const author = 'content' in note ? formatHolderWithKey(note.content.by, names) : 'Unknown';
    const text = 'content' in note ? note.content.text : note.unreadable;
    return `${author}, ${formatTimeOrDash(at)}\n  ${indentText(text, 2)}\n`;
  });
  return [`NOTES (only the desk reads these)\n\n${entries.join('\n')}`];
}

export function listMissingNoteLines(notes: readonly OpenedNote[]): string[] {
  const lines = listNotesWithGaps(notes).flatMap((entry) =>
    'missing' in entry ? [formatMissingNotes(entry.missing)] : [],
  );
  return lines.length > 0 ? ['The notes are not those that were written.', ...lines] : [];
}

function formatMissingNotes({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last
    ? `Note ${first + 1} is missing: it was written and is not there any more.`
    : `Notes ${first + 1} to ${last + 1} are missing: they were written and are not there any more.`;
}

export function toNotesJson(notes: readonly OpenedNote[]) {
  const entries = listNotesWithGaps(notes);
  return {
    notes: entries.flatMap((entry) => ('missing' in entry ? [] : [toNoteJson(entry)])),
    missing_notes: entries.flatMap((entry) => ('missing' in entry ? [entry.missing] : [])),
  };
}

function toNoteJson({ seq, at, note }: OpenedNote) {
  const { by, text } = 'content' in note ? note.content : { by: null, text: null };
  return { seq, at: toIsoTimeOrNull(at), by, text };
}
