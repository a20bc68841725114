/** Both ways to a case, and back to it, once more on PostgreSQL, where transactions really run at the same time. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { keepUploadPiece, uploadHolder } from '#cases/uploads.ts';
import { newId } from '#platform/ids.ts';
import { newMasterKey } from '#store/keyring.ts';
import { lastFirst } from '#test/folder.ts';
import { startPostgres } from '#test/postgres-server.ts';
import { openShop } from '#test/shop.ts';
import { caseOf, fileOf, inquiryOf, keyOf, privateKey } from './opened.ts';
import { filled, formOf, fromOwnPage, paidForm, sendPlain } from './plain-form.ts';
import { open, openingOf, piecesOf, putPiece, sealedForm, upload as uploadAll } from './sealed-form.ts';
import { added, stored } from './stored.ts';

const cleanUp = lastFirst({ after });
const server = await startPostgres(cleanUp);
const env = { DATABASE_URL: await server.createDatabase('shop'), MASTER_KEY: newMasterKey() };
const shop = await openShop(cleanUp, { env });
const file = { name: 'a.bin', content: Uint8Array.from({ length: 600_000 }, (_none, index) => index & 0xff) };

async function opensWhole(words: string): Promise<void> {
  const record = await caseOf(shop, words);
  assert.ok(record);
  const key = await keyOf(shop, record, await privateKey(shop.dataDir, 'desk'));
  assert.match((await inquiryOf(shop, record, key)).question, /CANARY-QUESTION/);
  assert.ok(Buffer.from(file.content).equals((await fileOf(shop, record, key, 0)).content));
  const headers = { ...fromOwnPage, 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ words }).toString();
  const { status, text } = await shop.get('/case', { method: 'POST', headers, body });
  assert.equal(status, 200, text);
  assert.match(text, /CANARY-QUESTION/);
}

test('eight sends of one form at once are one case, and nothing else is kept', async () => {
  const form = await paidForm(shop);
  const before = await stored(shop);
  const answers = await Promise.all(Array.from({ length: 8 }, () => sendPlain(shop, form, filled, [file])));
  for (const { status, text } of answers) assert.equal(status, 200, text);
  assert.deepEqual(added(before, await stored(shop)), { cases: 1, objects: 2, pieces: 4 });
  await opensWhole(form.words);
});

test('two forms for one payment at once: one case, and a clear page for the other', async () => {
  const session = await shop.newSession();
  await shop.sandbox.pay(session);
  const forms = await Promise.all([formOf(shop, session), formOf(shop, session)]);
  const before = await stored(shop);
  const answers = await Promise.all(forms.map((form) => sendPlain(shop, form, filled, [file])));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 402],
  );
  assert.deepEqual(added(before, await stored(shop)), { cases: 1, objects: 2, pieces: 4 });
});

test('pieces that come all at once and twice, and eight openings at once, are one case', async () => {
  const form = await paidForm(shop);
  const sealed = await sealedForm(shop, form, [file]);
  const before = await stored(shop);
  const pieces = [sealed.inquiry, ...sealed.files].flatMap((one) =>
    piecesOf(one).map((bytes, piece) => ({ upload: one.upload, piece, bytes })),
  );
  const puts = await Promise.all(
    [...pieces, ...pieces].map(({ bytes, ...place }) => putPiece(shop, form, place, bytes)),
  );
  assert.deepEqual(new Set(puts.map(({ status }) => status)), new Set([204]));
  const answers = await Promise.all(Array.from({ length: 8 }, () => open(shop, form, openingOf(sealed))));
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text]);
  assert.deepEqual(added(before, await stored(shop)), { cases: 1, objects: 2, pieces: 4 });
  await opensWhole(sealed.words);
});

test('six inquiries for one payment at once are one case', async () => {
  const form = await paidForm(shop);
  const all = await Promise.all(Array.from({ length: 6 }, () => sealedForm(shop, form)));
  await uploadAll(
    shop,
    form,
    all.map(({ inquiry }) => inquiry),
  );
  const answers = await Promise.all(all.map((sealed) => open(shop, form, openingOf(sealed))));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 402, 402, 402, 402, 402],
  );
});

/** How many transactions were undone so far; the server counts them a second late. */
async function undone(): Promise<number> {
  await sleep(1_500);
  const { rows } = await sql<{ count: number }>`select xact_rollback as count
    from pg_stat_database where datname = current_database()`.execute(shop.store.records);
  return rows[0]!.count;
}

test('buyers who upload at the same time hardly ever make each other wait', async () => {
  const before = await undone();
  const bytes = new Uint8Array(100_000);
  const buyers = Array.from({ length: 16 }, async () => {
    const holder = uploadHolder(shop.services.keyring, { sessionId: newId() });
    const upload = newId();
    for (let piece = 0; piece < 10; piece += 1)
      await keepUploadPiece(shop.services, holder, { upload, piece, bytes });
  });
  await Promise.all(buyers);
  const again = (await undone()) - before;
  assert.ok(again < 80, `${again} of 160 pieces were written again`);
});

test('a message to the desk is kept', async () => {
  const before = await stored(shop);
  const headers = { ...fromOwnPage, 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ topic: 'press', message: 'May we talk to you?' }).toString();
  assert.equal((await shop.get('/contact', { method: 'POST', headers, body })).status, 200);
  assert.deepEqual(added(before, await stored(shop)), { messages: 1 });
});

test('nothing failed on the way', () => {
  assert.doesNotMatch(shop.log(), /request_failed/);
});
