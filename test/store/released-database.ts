/** Databases as released versions left them, from dumps in test/store/fixtures. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { EngineUnderTest, TestDatabase } from './engines.ts';

export interface ReleasedDatabase {
  /** What a dump says of itself: the words and keys of its cases, a client's token, when it was written. */
  readonly read: (name: string) => string;
}

/** What 0.1.0 wrote before everything sealed. */
const PADDING = `01${'00'.repeat(4_095)}`;

export async function fillReleasedDatabase(
  engine: Pick<EngineUnderTest, 'name'>,
  { env }: TestDatabase,
  version: '0.1.0',
): Promise<ReleasedDatabase> {
  const text = await readFile(`test/store/fixtures/${version}-${engine.name}.sql`, 'utf8');
  const dump = text.replaceAll('{padding}', PADDING);
  const read = (name: string) => new RegExp(`^-- ${name}: (.*)$`, 'm').exec(dump)?.[1] ?? '';
  if (engine.name === 'postgres') {
    const client = new Client(env['DATABASE_URL']);
    await client.connect();
    await client.query(dump);
    await client.end();
  } else {
    const folder = env['DATA_DIR'] ?? '';
    const database = new DatabaseSync(join(folder, 'inquiry-office.db'));
    database.exec(`pragma journal_mode = wal; ${dump}`);
    database.close();
    await writeFile(join(folder, 'shred.keys'), gunzipSync(Buffer.from(read('slots'), 'base64')), {
      mode: 0o600,
    });
  }
  return { read };
}
