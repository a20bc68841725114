/** The served test vectors, checked against the code that seals: what opens, what it contains, what is refused. */
import assert from 'node:assert/strict';
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import test from 'node:test';
import vectors from '#agents/documents/sealing-vectors.json' with { type: 'json' };
import { buildCaseContent, openCaseObjects } from '#seal/case/case-content.ts';
import { decodeIdentity, deriveRecipient, openSealedBytes } from '#seal/core/age.ts';
import { computeKeyFingerprint, openCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, sealEnvelope } from '#seal/core/envelope.ts';
import { encodeFrame } from '#seal/core/frame.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { computePadmeLength, computeSizeClass } from '#seal/core/padding.ts';
import { deriveWordKeys } from '#seal/core/words.ts';
import { openSealedFile, sealFile } from '#seal/files/sealed-file.ts';
import { computeForeignThread, openForeignEnvelope, sealForeignEnvelope } from './second-sealer.ts';

/** A JSON file has no literal types. */
function nameKinds<Item extends { readonly kind: string }>(items: readonly Item[]) {
  return items.map((item) => ({ ...item, kind: item.kind as SealedKind }));
}

const envelopes = nameKinds(vectors.envelopes);
const refused = nameKinds(vectors.refused);
const words = await deriveWordKeys(vectors.words.words);
const key = await openCaseKey(toBytes(vectors.case_key.sealed), words.identity, words.lookupHash);

function toBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}

function hashToText(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

async function readStream(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

test('the words give the identity, the recipient and the name of the case', () => {
  const { entropy, identity_seed, ...rest } = vectors.words;
  assert.deepEqual(rest, {
    words: rest.words,
    identity: words.identity,
    recipient: words.recipient,
    lookup_token: words.lookupToken,
    lookup_hash: words.lookupHash,
  });
  const seed = hkdfSync('sha256', toBytes(entropy), 'inquiry-office/words/v1', 'age identity', 32);
  assert.equal(Buffer.from(seed).toString('base64url'), identity_seed);
  assert.deepEqual(decodeIdentity(words.identity), new Uint8Array(seed));
});

test('desk, recovery key and words open the case key, and its MAC key is derived as described', async () => {
  const { case_key: expected, desk, recovery } = vectors;
  for (const { identity, recipient } of [...desk, recovery]) {
    assert.equal(await deriveRecipient(identity), recipient);
    assert.deepEqual(await openCaseKey(toBytes(expected.sealed), identity, words.lookupHash), key);
  }
  assert.equal(
    new TextDecoder().decode(await openSealedBytes(toBytes(expected.sealed), words.identity)),
    expected.text,
  );
  assert.deepEqual([key.identity, key.recipient], [expected.identity, expected.recipient]);
  assert.equal(computeKeyFingerprint(key.recipient), expected.fingerprint);
  const macKey = hkdfSync('sha256', decodeIdentity(key.identity), 'inquiry-office/case/v1', 'mac', 32);
  assert.equal(Buffer.from(macKey).toString('base64url'), expected.mac_key);
});

for (const vector of envelopes)
  test(`the envelope ${vector.kind} ${vector.seq} opens, and sealing its body gives the same plain bytes`, async () => {
    const { kind, seq, body } = vector;
    const sealed = toBytes(vector.sealed);
    assert.equal(hashToText(sealed), vector.sealed_sha256);
    assert.deepEqual(await openEnvelope(key, { kind, seq }, sealed), body);
    const again = await sealEnvelope(key, { kind, seq }, body);
    for (const bytes of [sealed, again]) {
      const plain = await openSealedBytes(bytes, key.identity);
      assert.deepEqual([plain.length, hashToText(plain)], [vector.plain_size, vector.plain_sha256]);
    }
    const frame = encodeFrame({ kind, case: key.case, seq }, body, 32).subarray(0, -32);
    assert.equal(new TextDecoder().decode(frame).split('\n')[0], vector.header);
    const mac = createHmac('sha256', toBytes(vectors.case_key.mac_key)).update(frame).digest('base64url');
    assert.equal(mac, vector.mac);
  });

test('together they are a case whose every message is linked, in a form that the desk shows', async () => {
  const objects = envelopes.map(({ kind, seq, sealed }) => ({
    kind,
    seq,
    at: 0,
    readBytes: () => toBytes(sealed),
  }));
  const content = buildCaseContent(await openCaseObjects(key, objects));
  assert.ok('content' in content.inquiry && content.finding && 'content' in content.finding);
  assert.deepEqual(
    content.thread.map((entry) => ('link' in entry ? [entry.by, entry.seq, entry.link] : entry)),
    [
      ['buyer', 0, 'linked'],
      ['desk', 0, 'linked'],
      ['buyer', 1, 'linked'],
    ],
  );
});

test('a second implementation opens them, links them in the same way, and seals what the first one opens', async () => {
  const secrets = { lookupHash: key.case, caseIdentity: key.identity };
  const sent: Record<string, Uint8Array[]> = { 'buyer-message.v1': [], 'desk-message.v1': [] };
  for (const { kind, seq, body, sealed } of envelopes) {
    const opened = await openForeignEnvelope(secrets, kind, seq, toBytes(sealed));
    assert.deepEqual(opened, body);
    const own = sent[kind];
    if (!own) continue;
    const { seen, thread } = opened as { seen: number; thread: string };
    const [other = []] = Object.values(sent).filter((side) => side !== own);
    assert.equal(computeForeignThread(own, other.slice(0, seen)), thread);
    own.push(toBytes(sealed));
  }
  const place = { kind: 'buyer-message.v1', seq: 2 } as const;
  const sealed = await sealForeignEnvelope(secrets, place.kind, place.seq, { text: 'Yes.' });
  assert.deepEqual(await openEnvelope(key, place, sealed), { text: 'Yes.' });
});

for (const { kind, seq, name, mime, content, ...vector } of nameKinds(vectors.files))
  test(`the file ${kind} opens, and sealing it gives the same plain bytes`, async () => {
    const opened = await openSealedFile(
      key,
      { kind, seq },
      new Blob([Buffer.from(vector.sealed, 'base64url')]).stream(),
    );
    assert.deepEqual([opened.name, opened.mime], [name, mime]);
    assert.equal(new TextDecoder().decode(await readStream(opened.content)), content);
    const file = { name, mime, content: new Blob([content]).stream(), maxBytes: 1_000 };
    const again = await readStream(await sealFile(key, { kind, seq }, file));
    for (const bytes of [toBytes(vector.sealed), again]) {
      const plain = await openSealedBytes(bytes, key.identity);
      assert.deepEqual([plain.length, hashToText(plain)], [vector.plain_size, vector.plain_sha256]);
    }
  });

test('lengths are padded as the vectors say', () => {
  const { envelope, file } = vectors.padding;
  for (const { length, padded } of envelope) assert.equal(computeSizeClass(length), padded);
  for (const { length, padded } of file) assert.equal(computePadmeLength(length), padded);
});

test('what the vectors call refused is refused, for that reason', async () => {
  for (const { why, kind, seq, sealed, error } of refused)
    await assert.rejects(openEnvelope(key, { kind, seq }, toBytes(sealed)), { code: error }, why);
  const errors = new Set(refused.map(({ error }) => error));
  assert.deepEqual([...errors].toSorted(), [
    'forged',
    'swapped',
    'tampered',
    'truncated',
    'unsupported',
    'wrong_key',
  ]);
});

test('a second implementation refuses them too', async () => {
  const secrets = { lookupHash: key.case, caseIdentity: key.identity };
  for (const { why, kind, seq, sealed } of refused)
    await assert.rejects(openForeignEnvelope(secrets, kind, seq, toBytes(sealed)), why);
});
