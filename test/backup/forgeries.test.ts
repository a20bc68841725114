/** A forged backup is refused with the reason, whatever its content, and nothing is left in place. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { encodeJsonFrame, encodeRow, FRAME_KINDS } from '#backup/backup-stream.ts';
import { sealStream } from '#seal/core/age.ts';
import { toRestoreFolder } from '#store/restore/unfinished-restore.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import type { RecordValue } from '#store/schema/typed-columns.ts';
import { seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';
import { testKeyring } from '#test/store/engines.ts';
import { backupRecipients, isUntouched, openSampleOffice, restoreSample, toFile } from './sample-backup.ts';

interface Genuine {
  readonly folder: string;
  readonly keys: string;
  readonly header: Record<string, unknown>;
}

async function openGenuine(t: TestContext): Promise<Genuine> {
  const { store, writeRecords, writeKeys } = await openSampleOffice(t);
  await seedCases(store, 1);
  const folder = await createTemporaryFolder(t);
  await writeRecords(folder);
  const keys = toFile(folder, await writeKeys(folder));
  const installation = await store.transaction((records) => store.shredKeys.readInstallation(records));
  const header = {
    format: 'inquiry-office backup 1',
    part: 'records',
    program: '1.0.0',
    masterKeyTag: testKeyring.tag('backup', 'master key'),
    engine: 'sqlite',
    steps: schemaSteps.map(({ name }) => name),
    pairing: { id: installation?.id, counter: 0 },
    former: [],
    cutAt: Date.now(),
  };
  return { folder, keys, header };
}

/** Ends the file with a MAC that only this installation can compute, so that nothing but the content is wrong. */
async function writeForgery(folder: string, frames: readonly Buffer[], rows: number): Promise<string> {
  const hash = createHash('sha256').update(Buffer.concat(frames)).digest('base64url');
  const end = encodeJsonFrame(FRAME_KINDS.end, { rows, hash, mac: testKeyring.tag('backup', hash) });
  return await sealFrames(folder, [...frames, end]);
}

async function sealFrames(folder: string, frames: readonly Buffer[]): Promise<string> {
  const path = join(folder, 'forged.age');
  const plain = ReadableStream.from([Buffer.concat(frames)]) as ReadableStream<Uint8Array>;
  await writeFile(path, await Array.fromAsync(await sealStream(plain, backupRecipients)));
  return path;
}

const buildFrame = (kind: number, body: string | Buffer) => {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.writeUInt8(kind);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};
const buildTable = (value: unknown) => encodeJsonFrame(FRAME_KINDS.table, value);
const buildRow = (...values: RecordValue[]) => encodeRow(values);
const deep = '['.repeat(200_000) + ']'.repeat(200_000);
const user = { name: 'users', columns: ['id', 'created_at'] };
const piece = { name: 'object_pieces', columns: ['number', 'object_number', 'piece', 'size', 'bytes'] };
const bytes = Buffer.alloc(4);

/** Content after a genuine header, and what the refusal says if it names a table and a row. */
const FORGED_CONTENT: readonly (readonly [string, readonly Buffer[], RegExp?])[] = [
  ['a row without a table', [buildRow('u', 1)]],
  ['a table of no schema', [buildTable({ name: 'nothing', columns: [] })]],
  [
    'a table that no backup has',
    [
      buildTable({ name: 'tokens', columns: ['id', 'kind', 'payload', 'expires_at'] }),
      buildRow('t', 'Grant', '{}', 1),
    ],
  ],
  ['a table of the engine', [buildTable({ name: 'sqlite_schema', columns: ['sql'] }), buildRow('x')]],
  ['the shred keys among the records', [buildTable({ name: 'shred_keys', columns: ['key'] })]],
  ['a table named like a prototype', [buildTable({ name: '__proto__', columns: ['id'] })]],
  ['a table without a name', [buildTable({ columns: ['id'] })]],
  ['a table that is nothing', [buildTable(null)]],
  ['columns that are no list', [buildTable({ name: 'users', columns: 'id' })]],
  ['columns that are no names', [buildTable({ name: 'users', columns: [1, null] })]],
  ['a column twice', [buildTable({ name: 'users', columns: ['id', 'id'] }), buildRow('u', 'v')]],
  ['a column with a statement in it', [buildTable({ name: 'users', columns: ['id") values (1) --'] })]],
  ['a table twice', [buildTable(user), buildRow('u', 1), buildTable(user), buildRow('u', 1)]],
  ['fewer values than columns', [buildTable(user), buildRow('u')], /users, row 1/],
  ['more values than columns', [buildTable(user), buildRow('u', 1, 2)], /users, row 1/],
  [
    'a text for a number',
    [buildTable(user), buildRow('u', 1), buildRow('v', 'w')],
    /users, row 2 \(id v\), created_at/,
  ],
  ['bytes for a text', [buildTable(user), buildRow(bytes, 1)], /users, row 1, id/],
  ['a fraction', [buildTable(user), buildRow('u', 1.5)], /users, row 1 \(id u\), created_at/],
  ['nothing where something must be', [buildTable(user), buildRow('u', null)], /users, row 1 \(id u\)/],
  ['a row twice', [buildTable(user), buildRow('u', 1), buildRow('u', 1)], /users, row 2 \(id u\)/],
  ['a piece of no object', [buildTable(piece), buildRow(1, 2, 1, 4, bytes)], /object_pieces, row 1/],
  [
    'a number beyond all',
    [buildTable(user), buildFrame(3, `\0\0\0\x0b["u",1e400]`)],
    /users, row 1 \(id u\)/,
  ],
  ['a row that is no list', [buildTable(user), buildFrame(3, '\0\0\0\x02{}')]],
  ['a row with a list', [buildTable(user), buildFrame(3, '\0\0\0\x08["u",[]]')]],
  ['a row with a truth', [buildTable(user), buildFrame(3, '\0\0\0\x0a["u",true]')]],
  [
    'a row with a name of a prototype',
    [buildTable(user), buildFrame(3, '\0\0\0\x17["u",{"__proto__":{}}] ')],
  ],
  ['a row that is longer than itself', [buildTable(user), buildFrame(3, '\xff\xff\xff\xff[]')]],
  ['a deep row', [buildTable(user), buildFrame(3, `\0\x06\x1a\x80${deep}`)]],
  ['a deep table', [buildFrame(2, deep)]],
  ['a part of no kind', [buildFrame(9, 'x')]],
  ['a second header', [buildFrame(1, '{}')]],
  ['a part of 4 GB', [Buffer.from('03ffffffff', 'hex')]],
];

const FORGED_HEADERS: readonly Record<string, unknown>[] = [
  { pairing: null },
  { pairing: { id: 1, counter: 'x' } },
  { former: null },
  { former: [null] },
  { former: 'x' },
  { steps: null },
  { steps: 'x' },
  { steps: [null] },
  { steps: { length: 1e9 } },
  { steps: ['__proto__'] },
  { engine: 'other' },
  { engine: null },
  { part: { toString: 1 } },
  { cutAt: 'x' },
  { cutAt: 1e300 },
  { program: 1 },
  { masterKeyTag: 1 },
  { masterKeyTag: null },
  { format: null },
];

const FORGED_ENDS = ['null', '[]', '{}', '{"rows":0,"hash":1,"mac":2}', 'x', deep];

async function assertRefused(
  t: TestContext,
  files: { folder: string; records?: string; keys?: string },
  label: string,
  expected: { readonly exitCode?: number; readonly message?: RegExp } = {},
): Promise<void> {
  const dataDir = await createTemporaryFolder(t);
  const { exitCode = 65, message = /./ } = expected;
  await assert.rejects(restoreSample({ ...files, dataDir }), (error: Error & { exitCode?: number }) => {
    assert.equal(error.exitCode, exitCode, `${label}: ${error.stack}`);
    assert.match(error.message, message, label);
    return true;
  });
  assert.ok(await isUntouched(dataDir), `${label} leaves nothing`);
}

test('forged content is refused with exit code 65, and a row by its table and number', async (t) => {
  const { folder, header } = await openGenuine(t);
  for (const [label, content, message = /./] of FORGED_CONTENT) {
    const frames = [encodeJsonFrame(FRAME_KINDS.header, header), ...content];
    const rows = content.filter(([kind]) => kind === FRAME_KINDS.row).length;
    await assertRefused(t, { folder, records: await writeForgery(folder, frames, rows) }, label, { message });
  }
});

test('forged headers and ends are refused with exit code 65, of records and of keys', async (t) => {
  const { folder, header } = await openGenuine(t);
  // Both parts have the same reader.
  for (const part of ['records', 'keys'])
    for (const change of part === 'records' || isLongRun ? FORGED_HEADERS : FORGED_HEADERS.slice(0, 3)) {
      const frames = [encodeJsonFrame(FRAME_KINDS.header, { ...header, part, ...change })];
      const path = await writeForgery(folder, frames, 0);
      await assertRefused(t, { folder, [part]: path }, `${part} ${JSON.stringify(change)}`);
    }
  for (const body of ['null', '[]', '7', 'x', deep])
    await assertRefused(
      t,
      { folder, records: await writeForgery(folder, [buildFrame(1, body)], 0) },
      body.slice(0, 9),
    );
  const first = encodeJsonFrame(FRAME_KINDS.header, header);
  for (const body of FORGED_ENDS)
    await assertRefused(
      t,
      { folder, records: await sealFrames(folder, [first, buildFrame(4, body)]) },
      body.slice(0, 9),
    );
});

test('forged keys are refused with exit code 65', async (t) => {
  const { folder, header } = await openGenuine(t);
  const keysTable = { name: 'shred_keys', columns: ['slot', 'id', 'freed_on', 'key'] };
  const key = Buffer.alloc(32);
  const newer = { ...(header['pairing'] as object), counter: 1_000_000 };
  const id = 'A'.repeat(22);
  const contents: (readonly Buffer[])[] = [
    [buildRow(0, id, null, key)],
    [buildTable({ name: 'cases', columns: ['id'] }), buildRow('x')],
    [buildTable(keysTable), buildRow(-1, id, null, key)],
    [buildTable(keysTable), buildRow(1e15, id, null, key)],
    [buildTable(keysTable), buildRow(0.5, id, null, key)],
    [buildTable(keysTable), buildRow('0', id, null, key)],
    [buildTable(keysTable), buildRow(0, 'short', null, key)],
    [buildTable(keysTable), buildRow(0, null, null, key)],
    [buildTable(keysTable), buildRow(0, id, 'x', key)],
    [buildTable(keysTable), buildRow(0, id, -5, null)],
    [buildTable(keysTable), buildRow(0, id, null, bytes)],
    [buildTable(keysTable), buildRow(0, id, null, 'text')],
    [buildTable(keysTable), buildRow(0)],
    [buildTable(keysTable), buildRow(null, id, null, key)],
    [buildTable(keysTable), buildRow(0, id, null, key), buildRow(0, 'B'.repeat(22), null, key)],
  ];
  for (const [index, content] of contents.entries()) {
    const frames = [
      encodeJsonFrame(FRAME_KINDS.header, { ...header, part: 'keys', pairing: newer }),
      ...content,
    ];
    const rows = content.filter(([kind]) => kind === FRAME_KINDS.row).length;
    await assertRefused(t, { folder, keys: await writeForgery(folder, frames, rows) }, `keys ${index}`);
  }
});

test('what is no file, or no sealed file, is refused at once', { timeout: 60_000 }, async (t) => {
  const { folder, keys } = await openGenuine(t);
  const noInput = { exitCode: 66, message: /not a file/ };
  await symlink('/dev/zero', join(folder, 'endless'));
  await mkdir(join(folder, 'folder'));
  for (const records of ['/dev/zero', '/dev/random', join(folder, 'endless'), join(folder, 'folder')])
    await assertRefused(t, { folder, keys, records }, records, noInput);
  await assertRefused(t, { folder, records: join(folder, 'missing') }, 'missing', { exitCode: 66 });
  const zeros = join(folder, 'zeros');
  const file = await open(zeros, 'w');
  await file.truncate(8 * 1024 ** 3);
  await file.close();
  await assertRefused(t, { folder, keys: zeros }, 'eight gigabytes of zeros');
  const endless = join(folder, 'endless-header');
  await writeFile(endless, `age-encryption.org/v1\n${'-> mlkem768x25519 a\n'.repeat(200_000)}`);
  await assertRefused(t, { folder, records: endless }, 'a header without an end');
});

test('a planted sign that a restore was complete is not believed, and the restore is made', async (t) => {
  const { folder } = await openGenuine(t);
  for (const sign of ['null', '{}', '{"recordsAt":"x"}', 'x', '{"report":"{}","mac":"AAAA"}']) {
    const dataDir = await createTemporaryFolder(t);
    await mkdir(toRestoreFolder(dataDir));
    await writeFile(join(toRestoreFolder(dataDir), 'inquiry-office.db'), 'planted');
    await writeFile(join(toRestoreFolder(dataDir), 'shred.keys'), 'planted');
    await writeFile(join(toRestoreFolder(dataDir), 'complete.json'), sign);
    assert.equal((await restoreSample({ folder, dataDir })).cases, 1, sign);
  }
});
