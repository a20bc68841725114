/** The files on an owner's own machine that say whom to seal to. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateId } from '#platform/text/ids.ts';
import { formatTeam, type NewcomerLine } from '#test/desk-api/changed-team.ts';

/** Returns the options that name these files. */
export async function writeAskedSet(
  folder: string,
  team: readonly NewcomerLine[],
  recovery: string,
): Promise<readonly string[]> {
  const people = join(folder, `people-${generateId()}`);
  const key = join(folder, `recovery-${generateId()}.pub`);
  await writeFile(people, formatTeam(team));
  await writeFile(key, `${recovery}\n`);
  return ['--recipients', people, '--recovery', key];
}
