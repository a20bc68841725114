/** What whoever carries a bundle can do: with no key, bring nothing back that the desk did not write. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import type { CaseBundle } from '#cases/bundle/bundle.ts';
import { toExportedCase } from '#cases/bundle/bundle.ts';
import { encodeBundle, readBundle } from '#cases/bundle/format.ts';
import { sealResultKey } from '#cases/bundle/result-key.ts';
import { sealBytes } from '#seal/age.ts';
import { sealCaseKey } from '#seal/case-key.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import { countStoredRows } from '#test/cases/row-counts.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, type SentCase, sendCase } from './desk-cli.ts';
import { createForgedKey, swapStoredCaseKey } from './forged-key.ts';
import { createOfflineDeskCli } from './offline-desk-cli.ts';

const shop = await startTestShop({ after });
const desk = createDeskCli(shop);
const elsewhere = await createOfflineDeskCli({ after }, shop);
const { key, folder, createFileName, exportBundle, writeBundle } = elsewhere;

async function readBundleFile(path: string) {
  const bytes = await readFile(path);
  return await readBundle({
    size: bytes.length,
    stream: (start, size) => ReadableStream.from([bytes.subarray(start, start + size)]),
  });
}

/** Writes a bundle as a courier can: everything is public but the result key, so it has one of the courier's. */
async function writeForgedBundle(bundle: CaseBundle): Promise<string> {
  const resultKey = randomBytes(32).toString('base64url');
  const sealedResultKey = await sealResultKey(
    resultKey,
    toExportedCase(bundle),
    await shop.services.sealingKeys,
  );
  const path = createFileName();
  await writeFile(
    path,
    Buffer.concat(await Array.fromAsync(encodeBundle({ ...bundle, sealedResultKey }, resultKey))),
  );
  return path;
}

async function addForgedDecline(bundle: CaseBundle, sent: SentCase): Promise<CaseBundle> {
  const empty = (await sealBytes(new Uint8Array(), [sent.key.recipient])).length;
  const bytes = await sealBytes(new Uint8Array(ENVELOPE_SIZES[0]! - empty), [sent.key.recipient]);
  const message = {
    id: 'desk-message.v1 0',
    kind: 'desk-message.v1',
    seq: 0,
    size: bytes.length,
    keptAt: 1,
    content: async () => ReadableStream.from([bytes]),
  } as const;
  return {
    ...bundle,
    objects: [...bundle.objects, message],
    acts: [{ act: 'decline', seq: 0, offers_call: false }],
  };
}

test('a decline that was made without a key is not imported', async () => {
  const sent = await sendCase(shop);
  const exported = await readBundleFile(await exportBundle(sent));
  const before = await countStoredRows(shop);
  const forged = await writeForgedBundle(await addForgedDecline(exported, sent));
  assert.match(await desk.runRefused(65, 'cases', 'import', forged), /not written with a key of the desk/);
  const never = await writeForgedBundle(
    await addForgedDecline({ ...exported, caseKey: randomBytes(9) }, sent),
  );
  assert.match(await desk.runRefused(65, 'cases', 'import', never), /not the one that was exported/);
  assert.deepEqual(await countStoredRows(shop), before);
  assert.equal((await requireStoredCase(shop, sent)).state, 'received');
});

test('a bundle with another case key is refused by a desk that knows the case, and by the import', async () => {
  const sent = await sendCase(shop);
  const path = await exportBundle(sent);
  await elsewhere.runForText('cases', 'open', '--bundle', path, '--key', key);
  const { sealed } = await createForgedKey(shop, sent);
  const forged = await writeForgedBundle({ ...(await readBundleFile(path)), caseKey: sealed });
  const out = createFileName();
  const ask = ['cases', 'ask', '--key', key, '--out', out, '--text', 'Who?', '--bundle'];
  assert.match(await elsewhere.runRefused(65, ...ask, forged), /not the one that was pinned/);
  const result = await writeBundle(path, 'ask', '--text', 'Who?');
  const swapped = await writeForgedBundle({ ...(await readBundleFile(result)), caseKey: sealed });
  assert.match(await desk.runRefused(65, 'cases', 'import', swapped), /not the one that was exported/);
  await desk.runForText('cases', 'import', result);
});

test('a bundle whose key was left as it was but whose content was changed is refused by the desk', async () => {
  const sent = await sendCase(shop);
  const exported = await readBundleFile(await exportBundle(sent));
  const path = createFileName();
  const changed = { ...exported, record: { ...exported.record, due_at: exported.record.due_at + 1 } };
  const guessed = randomBytes(32).toString('base64url');
  await writeFile(path, Buffer.concat(await Array.fromAsync(encodeBundle(changed, guessed))));
  const fresh = join(folder, 'unpinned.key');
  await cp(key, fresh);
  assert.match(
    await elsewhere.runRefused(65, 'cases', 'open', '--bundle', path, '--key', fresh),
    /^This bundle was changed on its way/,
  );
  await assert.rejects(readFile(`${fresh}.pins`), { code: 'ENOENT' }, 'nothing in it was pinned');
});

test('a pin travels with the bundle and comes back with the result', async () => {
  const sent = await sendCase(shop);
  const [server, fresh] = [join(folder, 'server.key'), join(folder, 'fresh.key')];
  for (const path of [server, fresh]) await cp(key, path);
  const path = createFileName();
  const exporting = await desk.run('cases', 'export', sent.id, '--out', path, '--key', server);
  assert.match(exporting.stderr, /^First opening/);
  const { sealed } = await createForgedKey(shop, sent);
  const exported = await readBundleFile(path);
  const forged = await writeForgedBundle({ ...exported, caseKey: sealed });
  const open = ['cases', 'open', '--key', fresh, '--bundle'];
  assert.match(await elsewhere.runRefused(65, ...open, forged), /not the one that was pinned/);
  const pins = exported.pins.map((pin) => ({ ...pin, recipient_hash: 'A'.repeat(43) }));
  assert.match(
    await elsewhere.runRefused(65, ...open, await writeForgedBundle({ ...exported, pins })),
    /pin in this bundle was changed/,
  );
  assert.equal((await elsewhere.run(...open, path)).stderr, '', 'it counts as opened before');

  const alone = ['--out', createFileName(), '--pins', `${server}.pins`];
  assert.match(
    await desk.runRefused(64, 'cases', 'export', sent.id, ...alone),
    /--pins FILE needs --key FILE/,
  );

  const plain = await exportBundle(sent);
  assert.deepEqual((await readBundleFile(plain)).pins, []);
  const result = await writeBundle(plain, 'ask', '--text', 'Who?');
  const back = join(folder, 'back.key');
  await cp(key, back);
  const imported = await desk.run('cases', 'import', result, '--key', back);
  assert.deepEqual([imported.code, imported.stderr], [0, '']);
  assert.match(await readFile(`${back}.pins`, 'utf8'), /^.*\n([\w-]{43} ){3}\d{4}-\d{2}\n[\w-]{43}\n$/);
});

test('a bundle on its way stays good when the case key is sealed again, and a purge forgets the result keys', async () => {
  const sent = await sendCase(shop);
  const result = await writeBundle(await exportBundle(sent), 'decline', '--text', 'We cannot');
  const resealed = await sealCaseKey(sent.key, await shop.services.sealingKeys);
  await swapStoredCaseKey(shop, sent, { key: sent.key, sealed: resealed });
  await exportBundle(sent);
  await exportBundle(sent);
  const countKeys = async () =>
    (
      await shop.store.records
        .selectFrom('bundle_keys')
        .select('case_id')
        .where('case_id', '=', sent.id)
        .execute()
    ).length;
  assert.equal(await countKeys(), 2, 'one for each sealing, however often it is exported');
  assert.match(await desk.runForText('cases', 'import', result), /^Imported\. The case is declined/);
  await desk.runForText('cases', 'purge', sent.id, '--yes');
  assert.equal(await countKeys(), 0);
});
