/** Many concurrent submissions of both forms: one payment opens one case. Only on PostgreSQL, transactions overlap. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { deriveUploader, storeUploadPiece } from '#cases/intake/uploads.ts';
import { generateId } from '#platform/text/ids.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { startTestShop, type TestShop } from '#test/test-shop.ts';
import { openPaidForm, openPlainForm, plainFormFields, postFormFields, sendPlainForm } from './plain-form.ts';
import { computeAddedRows, countStoredRows } from './row-counts.ts';
import {
  postOpening,
  putUploadPiece,
  sealInquiryForm,
  splitIntoPieces,
  toOpeningBody,
  uploadSealedPieces,
} from './sealed-form.ts';
import { openStoredCase } from './stored-case.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);
// Started before the first test: awaiting between two suites would let the first one end, and with it the service.
const shops = await Array.fromAsync(Object.entries(engines), async ([engine, env]) => ({
  engine,
  shop: await startTestShop(cleanUp, { env }),
}));
const file = { name: 'a.bin', content: Uint8Array.from({ length: 600_000 }, (_none, index) => index & 0xff) };
const ONE_CASE = { cases: 1, objects: 2, pieces: 4 };

const sendTogether = (count: number, send: (index: number) => Promise<HttpsResponse>) =>
  Promise.all(Array.from({ length: count }, (_none, index) => send(index)));

const sortStatuses = (answers: readonly HttpsResponse[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

for (const { engine, shop } of shops) {
  test(`eight concurrent submissions of one form open one case, and nothing else is stored, on ${engine}`, async () => {
    const form = await openPaidForm(shop);
    const before = await countStoredRows(shop);
    const answers = await sendTogether(8, () => sendPlainForm(shop, form, plainFormFields, [file]));
    for (const { status, text } of answers) assert.equal(status, 200, text);
    assert.deepEqual(computeAddedRows(before, await countStoredRows(shop)), ONE_CASE);
    await assertOpensWhole(shop, form.words);
  });

  test(`of two concurrent forms for one payment one opens the case, and the other gets a clear page, on ${engine}`, async () => {
    const session = await shop.createSession();
    await shop.sandbox.pay(session);
    const forms = await Promise.all([openPlainForm(shop, session), openPlainForm(shop, session)]);
    const before = await countStoredRows(shop);
    const answers = await sendTogether(2, (index) =>
      sendPlainForm(shop, forms[index]!, plainFormFields, [file]),
    );
    assert.deepEqual(sortStatuses(answers), [200, 409]);
    assert.match(answers.find(({ status }) => status === 409)?.text ?? '', /<h1>This payment/);
    assert.deepEqual(computeAddedRows(before, await countStoredRows(shop)), ONE_CASE);
  });

  test(`concurrent, repeated pieces in any order and eight concurrent openings make one case, on ${engine}`, async () => {
    const form = await openPaidForm(shop);
    const sealed = await sealInquiryForm(shop, form, [file]);
    const before = await countStoredRows(shop);
    const pieces = [sealed.inquiry, ...sealed.files].flatMap((one) =>
      splitIntoPieces(one).map((bytes, piece) => ({ upload: one.upload, piece, bytes })),
    );
    const all = [...pieces, ...pieces].toReversed();
    const puts = await Promise.all(
      all.map(({ bytes, ...place }) => putUploadPiece(shop, form, place, bytes)),
    );
    assert.deepEqual(new Set(sortStatuses(puts)), new Set([204]));
    const answers = await sendTogether(8, () => postOpening(shop, form, toOpeningBody(sealed)));
    for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text]);
    assert.deepEqual(computeAddedRows(before, await countStoredRows(shop)), ONE_CASE);
    await assertOpensWhole(shop, sealed.words);
  });

  test(`six concurrent inquiries for one payment open one case, on ${engine}`, async () => {
    const form = await openPaidForm(shop);
    const all = await Promise.all(Array.from({ length: 6 }, () => sealInquiryForm(shop, form)));
    const inquiries = all.map(({ inquiry }) => inquiry);
    await uploadSealedPieces(shop, form, inquiries);
    const answers = await sendTogether(6, (index) => postOpening(shop, form, toOpeningBody(all[index]!)));
    assert.deepEqual(sortStatuses(answers), [200, 409, 409, 409, 409, 409]);
  });

  if (engine === 'postgres')
    test('buyers who upload at the same time hardly ever cause rollbacks', async () => {
      const before = await countRollbacks(shop);
      const bytes = new Uint8Array(100_000);
      const buyers = Array.from({ length: 16 }, async () => {
        const uploader = deriveUploader(shop.services.keyring, { sessionId: generateId() });
        const upload = generateId();
        for (let piece = 0; piece < 10; piece += 1)
          await storeUploadPiece(shop.services, uploader, { upload, piece, bytes });
      });
      await Promise.all(buyers);
      const again = (await countRollbacks(shop)) - before;
      assert.ok(again < 80, `${again} of 160 pieces were written again`);
    });

  test(`there was no server error, on ${engine}`, () => {
    assert.doesNotMatch(shop.readLog(), /request_failed/);
  });
}

async function assertOpensWhole(shop: TestShop, words: string): Promise<void> {
  const { inquiry, openFile } = await openStoredCase(shop, words);
  assert.match(inquiry.question, /CANARY-QUESTION/);
  assert.ok(Buffer.from(file.content).equals((await openFile(0)).content));
  const { status, text } = await postFormFields(shop, '/case', { words });
  assert.equal(status, 200, text);
  assert.match(text, /CANARY-QUESTION/);
}

/** Counts the transactions rolled back so far; the server's counter lags by a second. */
async function countRollbacks({ store }: TestShop): Promise<number> {
  await sleep(1_500);
  const { rows } = await sql<{ count: number }>`select xact_rollback as count
    from pg_stat_database where datname = current_database()`.execute(store.records);
  return rows[0]!.count;
}
