/** Restores databases of released versions from dumps in test/store/fixtures. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { openContactMessage } from '#seal/case/contact-message.ts';
import { openEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys } from '#seal/core/words.ts';
import { findCaseByLookup } from '#store/cases/cases.ts';
import { listOpenContactMessages } from '#store/cases/contact-messages.ts';
import type { Store } from '#store/store.ts';
import { letterFile } from '#test/cases/sealed-form.ts';
import {
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readStoredObject,
} from '#test/cases/stored-case.ts';
import { checkAuditChain } from './audit-check.ts';
import type { EngineUnderTest, TestDatabase } from './engines.ts';

/** Versions with dumps for both engines, written by `npm run dump`. */
export const RELEASED_VERSIONS = ['0.1.0', '1.0.0'] as const;
export type ReleasedVersion = (typeof RELEASED_VERSIONS)[number];

export interface ReleasedDatabase {
  /** Reads the metadata of the dump: the words and keys of its cases, a client's token, the time of writing. */
  readonly read: (name: string) => string;
}

/** The prefix of everything that 0.1.0 sealed. */
const PADDING = `01${'00'.repeat(4_095)}`;

export async function fillReleasedDatabase(
  engine: Pick<EngineUnderTest, 'name'>,
  { env }: TestDatabase,
  version: ReleasedVersion,
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

/** Opens the website's case by words and desk key, its file and finding, the contact message; checks the audit log. */
export async function assertReleasedOpens(store: Store, { read }: ReleasedDatabase): Promise<void> {
  const keys = await deriveWordKeys(read('words'));
  // Uses the day of the dump, because 30 days later the case is due to be purged.
  const record = await findCaseByLookup(store.records, keys.lookupHash, Date.parse(read('at')));
  assert.equal(record?.id, read('case'));
  for (const identity of [read('desk key'), keys.identity]) {
    const key = await openStoredCaseKey({ store }, record, identity);
    assert.match((await openStoredInquiry({ store }, record, key)).question, /CANARY/);
    const file = await openStoredFile({ store }, record, key, 0);
    assert.deepEqual(
      [file.name, Buffer.from(file.content)],
      [letterFile.name, Buffer.from(letterFile.content)],
    );
    const finding = await readStoredObject({ store }, record, 'finding.v1', record.finding_seq);
    const opened = await openEnvelope(key, { kind: 'finding.v1', seq: record.finding_seq }, finding);
    assert.match(JSON.stringify(opened), /CANARY-FINDING/);
  }
  const [message] = await listOpenContactMessages(store.records, { limit: 9 });
  const opened = await openContactMessage(message!.sealed, read('desk key'));
  assert.match(JSON.stringify(opened), /CANARY-CONTACT/);
  const { head, fault } = await checkAuditChain(store.records, null);
  assert.ok(head.number > 0);
  assert.equal(fault, null);
}
