/** A service with people who work at it from a machine that has nothing but their keys. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { buildDeskApp, type DeskKey } from '#test/desk-api/desk-client.ts';
import type { TestApp } from '#test/test-app.ts';
import { type CliResult, runCli } from './desk-cli.ts';

export interface DistantOffice extends TestApp {
  readonly keys: Readonly<Record<'ana' | 'ben', DeskKey>>;
  readonly peopleFile: string;
  readonly keyFiles: Readonly<Record<'ana' | 'ben', string>>;
  /** An empty folder for the output of commands. */
  readonly folder: string;
  /** Names a data folder that does not exist, so that a command knows only what the office reports. */
  readonly env: Readonly<Record<string, string>>;
  /** The options that name the office and whom to trust. */
  readonly trust: readonly string[];
  readonly runAs: (name: 'ana' | 'ben', ...args: string[]) => Promise<CliResult>;
  readonly readJsonAs: <Result>(name: 'ana' | 'ben', ...args: string[]) => Promise<Result>;
  /** Runs a command on the machine of the database. */
  readonly runBeside: (...args: string[]) => Promise<CliResult>;
}

/** Ana is an owner, Ben is not. */
export async function buildDistantOffice(
  t: CleanupScope,
  env: Record<string, string> = {},
): Promise<DistantOffice> {
  const office = await buildDeskApp(t, { ana: 'owner', ben: 'investigator' }, { env });
  const folder = await createTemporaryFolder(t);
  const keyFiles = { ana: join(folder, 'ana.key'), ben: join(folder, 'ben.key') };
  for (const name of ['ana', 'ben'] as const)
    await writeFile(keyFiles[name], `${office.keys[name].identity}\n`, { mode: 0o600 });
  const distant = { DATA_DIR: join(folder, 'nothing') };
  const certificate = join(office.dataDir, 'tls', 'localhost.crt');
  const trust = ['--office', `https://localhost:${office.port}`, '--ca', certificate];
  const beside = { DATA_DIR: office.dataDir, DESK_RECIPIENTS_FILE: office.peopleFile };
  const runAs: DistantOffice['runAs'] = async (name, ...args) =>
    await runCli(distant, [...args, ...trust, '--key', keyFiles[name]]);
  return {
    ...office,
    keyFiles,
    folder,
    env: distant,
    trust,
    runAs,
    readJsonAs: async (name, ...args) => {
      const { code, stdout, stderr } = await runAs(name, ...args, '--json');
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
    runBeside: async (...args) => await runCli(beside, args),
  };
}
