/** Databases as released versions left them, from dumps in test/store/fixtures. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { EngineUnderTest, TestDatabase } from './engines.ts';

export interface ReleasedDatabase {
  /** The keys of its one case. */
  readonly words: string;
  readonly deskKey: string;
}

export async function fillReleasedDatabase(
  engine: Pick<EngineUnderTest, 'name'>,
  { env }: TestDatabase,
  version: '0.1.0',
): Promise<ReleasedDatabase> {
  const dump = await readDump(`${version}-${engine.name}`);
  if (engine.name === 'postgres') {
    const client = new Client(env['DATABASE_URL']);
    await client.connect();
    await client.query(dump);
    await client.end();
  } else {
    const folder = env['DATA_DIR'] ?? '';
    fillFile(join(folder, 'inquiry-office.db'), `pragma journal_mode = wal; ${dump}`);
    fillFile(join(folder, 'shred.db'), await readDump(`${version}-sqlite-shred`));
  }
  const readNote = (name: string) => new RegExp(`^-- ${name}: (.*)$`, 'm').exec(dump)?.[1] ?? '';
  return { words: readNote('words'), deskKey: readNote('desk key') };
}

async function readDump(name: string): Promise<string> {
  return await readFile(`test/store/fixtures/${name}.sql`, 'utf8');
}

function fillFile(path: string, dump: string): void {
  const database = new DatabaseSync(path);
  database.exec(dump);
  database.close();
}
