/** The command that writes a note for the other investigators, and the section in which an opened case shows them. */
import type { DeskNote } from '#desk/office/case-reader.ts';
import { requireValidNote } from '#desk/office/case-writer.ts';
import type { OfficeClient } from '#desk/office/office-client.ts';
import { describePeopleChange, listShownPeople, type PeopleChange } from '#desk/office/office-people.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { listNotesWithGaps } from '#seal/case/note.ts';
import { createCommand } from '../command.ts';
import { officeOptions, readOfficeAccess, withOfficeLink } from '../office-link.ts';
import { getIo } from '../terminal/io.ts';
import { formatTimeOrDash, indentText, terminalSafe } from '../terminal/table.ts';
import { messageTextOptions, readMessageText, requireConfirmation } from '../terminal/typed-text.ts';
import {
  buildRepeatReport,
  formatAssigneeWithKey,
  type InvestigatorNames,
  toCaseJson,
} from './case-facts.ts';
import { openNamedCase, requireNothingLost } from './office-cases.ts';

export const writeNoteCommand = createCommand({
  usage: 'cases note ID [--text TEXT|--file FILE] [--yes]',
  about: `Write a note in a case for the other investigators. The buyer never sees it.
It is sealed to the people of the office. People whom you have not confirmed yet are listed, and you are asked first.`,
  options: [
    ...officeOptions,
    ...messageTextOptions,
    ['--yes', 'do not ask about people of the office whom you have not confirmed yet'],
  ],
  operands: 1,
  work: async (values, [operand]) => {
    const access = await readOfficeAccess(values);
    const typed = await readMessageText(values);
    return await withOfficeLink(access, async (link) => {
      const { text, by } = requireValidNote(typed, link.office.holder);
      const opened = await openNamedCase(link, operand);
      requireNothingLost(opened, link.office.key);
      await confirmPeople(link.office, values.yes === true);
      const last = opened.notes.at(-1);
      if (last && 'text' in last.said && last.said.text === text && last.by === by)
        return buildRepeatReport(opened.facts, 'This is already the last note; nothing was written.');
      const changed = await link.office.addNote(opened.facts.id, typed);
      return { text: 'Note added. Only the desk can read it.\n', json: { case: toCaseJson(changed) } };
    });
  },
});

/** Asks before a note is sealed to new people, unless `isConfirmed` says that the investigator knows them all. */
async function confirmPeople(office: OfficeClient, isConfirmed: boolean): Promise<void> {
  const { session } = office;
  if (!session?.peopleChange) return;
  getIo().stderr.write(formatPeopleChange(session.peopleChange));
  const question = 'Type people to seal notes to the current people of the office: ';
  const undone = 'no note was written. The desk (npm run desk) also shows the people';
  if (!isConfirmed) await requireConfirmation(question, 'people', undone);
  await office.confirmPeople(listShownPeople(session));
}

function formatPeopleChange(change: PeopleChange): string {
  const head = change.isFirst
    ? 'You have not confirmed the people of this office yet'
    : 'The people of the office are not those that you confirmed';
  const lines = [`${head}. Compare the fingerprints with your colleagues.`, ...describePeopleChange(change)];
  return lines.map((line) => `${terminalSafe.line(line)}\n`).join('');
}

/** Lines in brackets are not indented, so that no author can imitate them. */
export function formatNotesSection(notes: readonly DeskNote[], names: InvestigatorNames): string[] {
  if (notes.length === 0) return [];
  const entries = listNotesWithGaps(notes).map((entry) => {
    if ('missing' in entry) return `[${formatMissingNotes(entry.missing)}]\n`;
    const { at, by, said } = entry;
    const author = by === null ? 'Unknown' : formatAssigneeWithKey(by, names);
    const text = 'text' in said ? said.text : said.unreadable;
    return `${author}, ${formatTimeOrDash(at)}\n  ${indentText(text, 2)}\n`;
  });
  return [`NOTES (only the desk reads these)\n\n${entries.join('\n')}`];
}

function formatMissingNotes({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last
    ? `Note ${first + 1} is missing: it was written, but is no longer there.`
    : `Notes ${first + 1} to ${last + 1} are missing: they were written, but are no longer there.`;
}

export function toNoteJson({ seq, at, by, said }: DeskNote) {
  return { seq, at: toIsoTime(at), by, text: 'text' in said ? said.text : null };
}
