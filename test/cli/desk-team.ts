/** Investigators with key files of their own, and the settings of an instance that seals to them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateDeskKeyFile } from '#cases/sealing/sealing-keys.ts';
import { generateId } from '#platform/text/ids.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { buildTestApp, type TestApp } from '#test/test-app.ts';
import { createDeskCli } from './desk-cli.ts';

export interface TeamMember {
  readonly name: string;
  readonly keyFile: string;
  readonly recipient: string;
  readonly identity: string;
}

export async function createTeamMember(folder: string, name: string): Promise<TeamMember> {
  const { recipient, text } = await generateDeskKeyFile(name);
  const keyFile = join(folder, `${name}.key`);
  await writeFile(keyFile, text, { mode: 0o600 });
  return { name, keyFile, recipient, identity: text.trim().split('\n').at(-1) ?? '' };
}

/** The service on the same records, restarted with these settings. */
export async function restartWith(
  t: CleanupScope,
  { dataDir }: Pick<TestApp, 'dataDir'>,
  settings: Record<string, string>,
) {
  const app = await buildTestApp(t, { env: { DATA_DIR: dataDir, ...settings } });
  return { app, ...createDeskCli(app) };
}

/** The settings that name these investigators in a file. */
export async function writeTeamSettings(
  folder: string,
  team: readonly TeamMember[],
  recovery: string,
): Promise<Record<string, string>> {
  const file = join(folder, `recipients-${generateId()}`);
  await writeFile(file, team.map(({ name, recipient }) => `${name} investigator ${recipient}\n`).join(''));
  return { DESK_RECIPIENTS_FILE: file, RECOVERY_RECIPIENT: recovery };
}
