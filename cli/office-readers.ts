/** Whom a note at an office is sealed to: the people that the investigator knows; others are shown and asked about first. */
import { savePeople } from '#desk-program/keys/people-file.ts';
import type { PeopleChange } from '#desk-program/office/office.ts';
import { comparePeople, formatHolderKey, formatNameAndRole } from '#desk-program/office/office-people.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import type { AgeRecipient } from '#seal/age.ts';
import { askConfirmation } from './confirmation.ts';
import { CommandFailure } from './failure.ts';
import { getIo } from './io.ts';
import type { OfficeLink } from './office-link.ts';
import { terminalSafe } from './terminal-text.ts';

/** `isConfirmed` says that the investigator knows them all. */
export async function readConfirmedReaders(
  { key, origin, holder, people }: OfficeLink,
  isConfirmed: boolean,
): Promise<AgeRecipient[]> {
  const change = await comparePeople(key, origin, { holder, people: [...people] });
  if (change) {
    getIo().stderr.write(formatPeopleChange(change));
    const question = 'Type people to seal notes to those who are there now: ';
    if (!isConfirmed && !(await askConfirmation(question, 'people')))
      throw new CommandFailure(
        'Not confirmed, so no note was written. The pages of the desk (npm run desk) show the people, too.',
        EXIT_CODES.failure,
      );
    await savePeople(key, origin, people);
  }
  return people.map(({ recipient }) => recipient);
}

function formatPeopleChange({ came, went, changed, isFirst }: PeopleChange): string {
  const lines = [
    `${isFirst ? 'Your key does not know the people of this office yet' : 'The people of the office are not those that your key knows'}. Compare the fingerprints with your colleagues.`,
    ...came.map((person) => `${isFirst ? 'There' : 'Came'}: ${formatPerson(person)}, ${person.role}`),
    ...went.map((person) => `Went: ${formatPerson(person)}`),
    ...changed.map(
      (person) =>
        `Changed: ${formatPerson(person.before)}, is now ${terminalSafe.line(formatNameAndRole(person))}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function formatPerson({ name, holder }: { readonly name: string | null; readonly holder: string }): string {
  const key = `key ${formatHolderKey(holder)}`;
  return name === null ? key : `${terminalSafe.line(name)}, ${key}`;
}
