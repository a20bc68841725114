/** Files that a buyer sends with a message: stored with it or not at all, within limits, and purged with the case. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test, { after } from 'node:test';
import { sweepUploads } from '#cases/intake/uploads.ts';
import { openAttachedFile, openSealedCase } from '#cases/messages/decrypted-case.ts';
import { generateId } from '#platform/text/ids.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordLookup } from '#seal/core/words.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { insertObject } from '#store/cases/objects.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openPlainCase, postFormFields, postFromScript, sameOriginHeaders } from './plain-form.ts';
import { countStoredRows } from './row-counts.ts';
import { openStoredCase, readPrivateKey, requireCaseByWords, requireContent } from './stored-case.ts';

const PIECE_BYTES = 256 * 1024;
let clockOffset = 0;
const shop = await startTestShop({ after }, { clock: { now: () => Date.now() + clockOffset } });
const desk = await readPrivateKey(shop.dataDir, 'desk');

type OwnCase = Awaited<ReturnType<typeof openOwnCase>>;

async function openOwnCase() {
  const words = await openPlainCase(shop);
  const { key } = await openStoredCase(shop, words);
  return { words, token: deriveWordLookup(words).lookupToken, key };
}

async function sealMessageFile(key: CaseKey, seq: number, content: Uint8Array): Promise<Buffer> {
  const file = { name: 'more.bin', mime: '', maxBytes: content.length };
  const stream = ReadableStream.from([content]);
  const sealed = await sealFile(key, { kind: 'buyer-message-file.v1', seq }, { ...file, content: stream });
  return Buffer.concat(await Array.fromAsync(sealed));
}

async function putPiece(token: string, path: string, body: Uint8Array) {
  const headers = {
    ...sameOriginHeaders,
    'content-type': 'application/octet-stream',
    'x-lookup-token': token,
  };
  return await shop.get(`/case/sealed/uploads/${path}`, { method: 'PUT', headers, body });
}

async function upload(token: string, sealed: Buffer): Promise<{ upload: string; size: number }> {
  const id = randomBytes(16).toString('base64url');
  for (let piece = 0; piece * PIECE_BYTES < sealed.length; piece += 1) {
    const bytes = sealed.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
    assert.equal((await putPiece(token, `${id}/${piece}`, bytes)).status, 204);
  }
  return { upload: id, size: sealed.length };
}

async function sendMessage(
  { token, key }: OwnCase,
  seq: number,
  files: readonly { upload: string; size: number }[],
  sizes: readonly number[] = files.map(() => 1),
) {
  const facts = sizes.map((size) => ({ name: 'more.bin', mime: '', size, kept_as_evidence: false }));
  const body = { text: `Message ${seq}`, call_windows: [], files: facts };
  const sealed = await sealEnvelope(key, { kind: 'buyer-message.v1', seq }, body);
  const text = Buffer.from(sealed).toString('base64url');
  const request = { lookup_token: token, seq, sealed: text, call: false };
  const send = async () => await postFromScript(shop, '/case/sealed/message', { ...request, files });
  return { send, answer: await send() };
}

test('a message with a file is stored once, and desk and buyer open the file', async () => {
  const own = await openOwnCase();
  const content = randomBytes(600_000);
  const file = await upload(own.token, await sealMessageFile(own.key, 0, content));
  const { send, answer } = await sendMessage(own, 0, [file], [content.length]);
  assert.equal(answer.status, 200, answer.text);
  const before = await countStoredRows(shop);
  assert.equal((await send()).status, 200);
  assert.deepEqual(await countStoredRows(shop), before, 'sent again, it is not stored again');

  const stored = await readSealedCase(shop.services, await requireCaseByWords(shop, own.words));
  const { messages } = await openSealedCase(stored, desk);
  assert.equal(requireContent(messages[0]!.said).files[0]?.size, content.length);
  const opened = await openAttachedFile(stored, own.key, { kind: 'buyer-message-file.v1', seq: 0 });
  assert.deepEqual(Buffer.concat(await Array.fromAsync(opened!.content)), content);

  const post = async (path: string, fields: Record<string, string> = {}) =>
    await postFormFields(shop, path, { words: own.words, ...fields });
  assert.match((await post('/case')).text, /value="buyer-message-file\.v1"[\s\S]*?Save more\.bin, 586 KB/);
  const saved = await post('/case/file', { kind: 'buyer-message-file.v1', seq: '0' });
  assert.deepEqual(Buffer.from(saved.bytes), content);
});

test('a file that is missing, cut, plain or another case’s stores neither itself nor its message', async () => {
  const [own, other] = [await openOwnCase(), await openOwnCase()];
  const sealed = await sealMessageFile(own.key, 0, randomBytes(1_000));
  const file = await upload(own.token, sealed);
  const foreign = await upload(other.token, sealed);
  const plain = await upload(own.token, Buffer.alloc(sealed.length, 'x'));
  const before = await countStoredRows(shop);
  for (const [files, code] of [
    [[{ upload: randomBytes(16).toString('base64url'), size: sealed.length }], 'upload_incomplete'],
    [[{ ...file, size: file.size + 1 }], 'not_sealed'],
    [[foreign], 'upload_incomplete'],
    [[plain], 'not_sealed'],
    [[file, file], 'upload_incomplete'],
  ] as const) {
    const { answer } = await sendMessage(own, 0, files);
    assert.match(answer.text, new RegExp(`"code":"${code}"`));
    assert.deepEqual(await countStoredRows(shop), before, code);
  }
  assert.equal((await sendMessage(own, 0, [file])).answer.status, 200);
});

test('only who finds a case can upload for it', async () => {
  const own = await openOwnCase();
  const id = randomBytes(16).toString('base64url');
  const bytes = new Uint8Array(10);
  const before = await countStoredRows(shop);
  for (const token of ['', 'x', randomBytes(32).toString('base64url')])
    assert.equal((await putPiece(token, `${id}/0`, bytes)).status, 404);
  assert.equal((await putPiece(own.token, `${id}/200`, bytes)).status, 413);
  assert.equal((await putPiece(own.token, `${id}/0`, new Uint8Array())).status, 422);
  assert.deepEqual(await countStoredRows(shop), before);
});

test('the files of messages are purged with their case', async () => {
  const before = await countStoredRows(shop);
  const own = await openOwnCase();
  const file = await upload(own.token, await sealMessageFile(own.key, 0, randomBytes(600_000)));
  assert.equal((await sendMessage(own, 0, [file], [600_000])).answer.status, 200);
  for (const path of ['/case/sealed/withdraw', '/case/sealed/purge'])
    await postFromScript(shop, path, { lookup_token: own.token });
  assert.deepEqual(await countStoredRows(shop), before);
});

test('what no message uses is deleted after a day, and a case holds a hundred such files at most', async () => {
  const own = await openOwnCase();
  await upload(own.token, await sealMessageFile(own.key, 0, randomBytes(10)));
  clockOffset += 25 * 3_600_000;
  await sweepUploads(shop.services);
  assert.equal((await countStoredRows(shop)).staged, 0);

  const record = await requireCaseByWords(shop, own.words);
  const place = { caseId: record.id, kind: 'buyer-message-file.v1', bytes: new Uint8Array(1) } as const;
  await shop.store.transaction(async (records) => {
    for (let seq = 1; seq <= 99; seq += 1)
      await insertObject(records, { ...place, id: generateId(), seq, now: Date.now() });
  });
  const files = [
    await upload(own.token, await sealMessageFile(own.key, 0, randomBytes(1))),
    await upload(own.token, await sealMessageFile(own.key, 1, randomBytes(1))),
  ];
  assert.equal((await sendMessage(own, 0, files)).answer.status, 413);
  assert.equal((await sendMessage(own, 0, files.slice(0, 1))).answer.status, 200);
});
