/** The configured public keys: those of the investigators, named if they are in a file, and the recovery key. */
import { readFileSync } from 'node:fs';
import { formatFileFault } from '../error-code.ts';
import { EnvironmentReader } from './environment.ts';

/** An ML-KEM-768 and an X25519 public key in Bech32: 1,959 characters. */
const RECIPIENT = /^age1pq1[02-9ac-hj-np-z]{1952}$/;
export const RECIPIENTS_EXPECTED = 'post-quantum age recipients (age1pq1…)';
export const DESK_ROLES = ['owner', 'investigator'] as const;
const FILE_VARIABLE = 'DESK_RECIPIENTS_FILE';
/** The name of the recovery key in a set, so no person can have this name. */
const RECOVERY_NAME = 'recovery';

export interface DeskPerson {
  readonly name: string;
  readonly role: (typeof DESK_ROLES)[number];
  readonly recipient: string;
}

/** The format of a person's name in the recipients file; the name is also that of the key file. */
export const PERSON_NAME_EXPECTED =
  'a name of up to 40 letters, digits, dots, dashes and underscores that begins with a letter or digit';

export function isPersonName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,39}$/u.test(name) && name.toLowerCase() !== RECOVERY_NAME;
}

/** `people` is empty if the keys were configured without names. */
export function readRecipients(reader: EnvironmentReader) {
  const recovery = reader.readText('RECOVERY_RECIPIENT') ?? null;
  if (recovery && !RECIPIENT.test(recovery)) reader.addMistake('RECOVERY_RECIPIENT', RECIPIENTS_EXPECTED);
  const listed = reader.readList('DESK_RECIPIENTS');
  if (listed.some((recipient) => !RECIPIENT.test(recipient)))
    reader.addMistake('DESK_RECIPIENTS', RECIPIENTS_EXPECTED);
  const file = reader.readPath(FILE_VARIABLE);
  if (file && listed.length > 0)
    reader.addMistake(FILE_VARIABLE, `either DESK_RECIPIENTS or ${FILE_VARIABLE}, not both`);
  const people = file ? readPeople(reader, file, FILE_VARIABLE) : [];
  const desk = file ? people.map(({ recipient }) => recipient) : listed;
  return { people, desk, recovery, file: file ?? null };
}

/** The file may have changed since startup, or come from another machine. Mistakes are reported under `name`. */
export function readRecipientsFile(
  file: string,
  name = FILE_VARIABLE,
): { readonly people: DeskPerson[]; readonly mistakes: readonly string[] } {
  const reader = new EnvironmentReader({});
  const people = readPeople(reader, file, name);
  return { people, mistakes: reader.mistakes };
}

/** Unlike a secret file, this file has several lines, so each mistake names its line. */
function readPeople(reader: EnvironmentReader, file: string, name: string): DeskPerson[] {
  try {
    return parsePeople(reader, readFileSync(file, 'utf8'), name);
  } catch (error) {
    reader.addMistake(name, `a readable file (${file}: ${formatFileFault(error)})`);
    return [];
  }
}

export function parsePeople(reader: EnvironmentReader, text: string, name: string): DeskPerson[] {
  const people: DeskPerson[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0]?.startsWith('#')) continue;
    const person = parsePerson(words, people);
    if (typeof person === 'string') reader.addMistake(name, `${person} (line ${index + 1})`);
    else people.push(person);
  }
  if (people.length === 0 && !reader.hasMistake(name))
    reader.addMistake(name, 'at least one line NAME ROLE RECIPIENT');
  return people;
}

/** Returns what was expected if the line is invalid. */
function parsePerson(words: readonly string[], people: readonly DeskPerson[]): DeskPerson | string {
  const [name = '', roleText = '', recipient = '', ...rest] = words;
  const role = DESK_ROLES.find((known) => known === roleText);
  if (recipient === '' || rest.length > 0) return 'NAME ROLE RECIPIENT';
  if (!isPersonName(name)) return PERSON_NAME_EXPECTED;
  if (!role) return `the role ${DESK_ROLES.join(' or ')}`;
  if (!RECIPIENT.test(recipient)) return 'a post-quantum age recipient (age1pq1…)';
  if (people.some((other) => normalizeName(other.name) === normalizeName(name))) return 'each name once';
  if (people.some((other) => other.recipient === recipient)) return 'each recipient once';
  return { name, role, recipient };
}

/** Two names that look alike or would give the same file name become equal. */
function normalizeName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
