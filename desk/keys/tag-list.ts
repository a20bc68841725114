/** Lists beside a desk key, a line per case: tags that reveal nothing without the key, and the line's last month. */
import { replaceFile } from '#platform/atomic-file.ts';
import { DAY_MS } from '#platform/durations.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { withFileLock } from '#platform/file-lock.ts';
import type { AgeIdentity } from '#seal/core/age.ts';
import { deriveDeskTag } from '#seal/core/key-pin.ts';
import { REMEMBERED_DAYS } from '#wire/keep-days.ts';
import { readBesideKey } from './beside-key.ts';

export interface TagListKind {
  readonly format: string;
  readonly computeMac: (identity: AgeIdentity, body: string) => string;
  /** The messages for a file of another key, and for a changed file. */
  readonly otherKey: string;
  readonly damage: string;
}

/** The last field is the month. */
export type TagLine = readonly string[];

interface TagListFile {
  readonly identity: AgeIdentity;
  readonly path: string;
}

/** Empty without a file. Rewrites the list to drop lines whose month has passed. */
export async function readTagList(file: TagListFile, kind: TagListKind, now: number): Promise<TagLine[]> {
  const lines = await readLines(file, kind);
  const isDue = lines.some((line) => isPast(line, now));
  return isDue ? await updateTagList(file, kind, now, (known) => known) : lines;
}

/** Lines are sorted by their tags, so that their order does not reveal which is oldest. */
export async function updateTagList(
  file: TagListFile,
  kind: TagListKind,
  now: number,
  change: (lines: TagLine[]) => TagLine[],
): Promise<TagLine[]> {
  return await withFileLock(`${file.path}.lock`, async () => {
    const left = change(await readLines(file, kind)).filter((line) => !isPast(line, now));
    const texts = left.map((line) => line.join(' ')).toSorted();
    const body = [`${kind.format} ${deriveDeskTag(file.identity)}`, ...texts, ''].join('\n');
    await replaceFile(file.path, `${body}${kind.computeMac(file.identity, body)}\n`);
    return left;
  });
}

export function computeLastMonth(now: number): string {
  return formatMonth(now + REMEMBERED_DAYS * DAY_MS);
}

function formatMonth(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

function isPast(line: TagLine, now: number): boolean {
  return line.at(-1)! < formatMonth(now);
}

/** The last line of a file is a MAC of all lines before it. */
async function readLines({ identity, path }: TagListFile, kind: TagListKind): Promise<TagLine[]> {
  const text = (await readBesideKey(path))?.toString('latin1');
  if (text === undefined) return [];
  const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
  const [head = '', ...rows] = body.split('\n').slice(0, -1);
  const space = head.lastIndexOf(' ');
  const createFault = (what: string) => new ProgramError(`${path}: ${what}`, EXIT_CODES.dataError);
  if (head.slice(0, space) !== kind.format) throw createFault(kind.damage);
  if (head.slice(space + 1) !== deriveDeskTag(identity)) throw createFault(kind.otherKey);
  if (text.slice(body.length) !== `${kind.computeMac(identity, body)}\n`) throw createFault(kind.damage);
  // The MAC was made with this key, so the lines need no further check.
  return rows.map((row) => row.split(' '));
}
