/** The contact form: sealed to the desk in the browser or on arrival, with the same limits, and rate limited. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { type ContactMessage, openContactMessage, sealContactMessage } from '#seal/case/contact-message.ts';
import { deriveRecipient, generateAgeIdentity, sealBytes } from '#seal/core/age.ts';
import { stripErasurePadding } from '#store/engine/overflow-bytes.ts';
import { startTestShop } from '#test/test-shop.ts';
import { postFormFields, postFromScript, sameOriginHeaders } from './plain-form.ts';
import { computeAddedRows, countStoredRows } from './row-counts.ts';
import { readPrivateKey } from './stored-case.ts';

const shop = await startTestShop({ after });
const message: ContactMessage = {
  topic: 'press',
  message: 'May we talk? CANARY-MESSAGE',
  reply_to: 'canary-reply@example.org',
};

async function postContactForm(fields: Record<string, string>) {
  return await postFormFields(shop, '/contact', fields);
}

async function postSealedMessage(body: unknown) {
  return await postFromScript(shop, '/contact/sealed', body);
}

const encodeSealed = (sealed: Uint8Array) => Buffer.from(sealed).toString('base64url');

async function readNewestMessage() {
  const stored = shop.store.records.selectFrom('contact_messages').selectAll();
  const row = await stored.orderBy('received_at', 'desc').executeTakeFirstOrThrow();
  return { ...row, sealed: stripErasurePadding(row.sealed) };
}

/** Nothing of what is refused is stored. */
async function assertRefused(bodies: readonly unknown[], expected: readonly [number, string]): Promise<void> {
  const before = await countStoredRows(shop);
  for (const body of bodies) {
    const { status, json } = await postSealedMessage(body);
    assert.deepEqual([status, json['code']], expected);
  }
  assert.deepEqual(await countStoredRows(shop), before);
}

test('a message sent without a script is sealed on arrival, for the desk alone', async () => {
  const before = await countStoredRows(shop);
  const { status, text: page } = await postContactForm(message);
  assert.equal(status, 200, page);
  assert.match(page, /Thank you/);
  assert.doesNotMatch(page, /canary/i);
  assert.deepEqual(computeAddedRows(before, await countStoredRows(shop)), { messages: 1 });
  const { sealed, sealed_by: by } = await readNewestMessage();
  assert.equal(by, 'server');
  assert.doesNotMatch(Buffer.from(sealed).toString('latin1'), /canary/i);
  assert.deepEqual(await openContactMessage(sealed, await readPrivateKey(shop.dataDir, 'desk')), message);
  await assert.rejects(openContactMessage(sealed, await readPrivateKey(shop.dataDir, 'recovery')), {
    code: 'wrong_key',
  });
});

test('a message that was sealed in the browser is stored unchanged', async () => {
  const { desk } = await shop.services.sealingKeys;
  const sealed = await sealContactMessage(message, desk);
  const { status, text: body } = await postSealedMessage({ sealed: encodeSealed(sealed) });
  assert.deepEqual([status, body], [204, '']);
  const row = await readNewestMessage();
  assert.equal(row.sealed_by, 'browser');
  assert.ok(Buffer.from(sealed).equals(row.sealed));
});

test('the longest message fits sealed and in plain, whatever its characters', async () => {
  const { desk } = await shop.services.sealingKeys;
  for (const letter of ['x', '🕵', '\n', '\u0001']) {
    const long = {
      ...message,
      message: `0123456789${letter.repeat(3_980)}0123456789`,
      reply_to: letter === '\n' ? '' : letter.repeat(254),
    };
    assert.equal((await postContactForm(long)).status, 200, `plain ${JSON.stringify(letter)}`);
    const sealed = encodeSealed(await sealContactMessage(long, desk));
    assert.equal((await postSealedMessage({ sealed })).status, 204, `sealed ${JSON.stringify(letter)}`);
  }
});

test('line ends are normalized to what a script would send', async () => {
  assert.equal((await postContactForm({ ...message, message: 'first line\r\nsecond line' })).status, 200);
  const { sealed } = await readNewestMessage();
  const opened = await openContactMessage(sealed, await readPrivateKey(shop.dataDir, 'desk'));
  assert.equal((opened as ContactMessage).message, 'first line\nsecond line');
});

test('who asks for a refund finds a topic for it, what to name, and when an answer comes', async () => {
  const { text } = await shop.get('/contact', { headers: { accept: 'text/html' } });
  assert.match(text, /value="payment"[\s\S]*My payment or a refund[\s\S]*the number on your receipt/);
  const [lead = ''] = text.split('<form');
  assert.match(lead, /usually reply within two working days/, 'said before anything is written');
  assert.equal((await postContactForm({ ...message, topic: 'payment' })).status, 200);
});

test('an invalid message comes back with what was typed, and is not stored', async () => {
  const before = await countStoredRows(shop);
  const faults: [fields: Record<string, string>, named: string[]][] = [
    [{}, ['topic', 'message']],
    [{ ...message, message: ' '.repeat(50) }, ['message']],
    [{ ...message, message: `<b>${'x'.repeat(4_000)}` }, ['message']],
    [{ ...message, reply_to: 'x'.repeat(255) }, ['reply_to']],
  ];
  for (const [fields, named] of faults) {
    const { status, text: page } = await postContactForm(fields);
    assert.equal(status, 422, page);
    const listed = [...page.matchAll(/<li><a href="#(\w+)">/g)].map(([, field]) => field);
    assert.deepEqual(listed, named);
    assert.doesNotMatch(page, /<b>xxx/);
    if (fields['reply_to'] === message.reply_to) assert.match(page, /value="canary-reply@example.org"/);
  }
  assert.deepEqual(await countStoredRows(shop), before);
});

test('a message that is not properly sealed is refused and not stored', async () => {
  const { desk } = await shop.services.sealingKeys;
  const sealed = await sealContactMessage(message, desk);
  const unsealed = [
    Buffer.from(JSON.stringify(message)),
    new Uint8Array(sealed.length).fill(65),
    sealed.subarray(0, -1),
    Buffer.concat([sealed, new Uint8Array(1)]),
    await sealBytes(new Uint8Array(100), [await deriveRecipient(await generateAgeIdentity())]),
  ].map((bytes) => ({ sealed: encodeSealed(bytes) }));
  await assertRefused(unsealed, [422, 'not_sealed']);
  const mixed = { sealed: encodeSealed(sealed), message: 'in clear' };
  await assertRefused([{}, { sealed: '' }, { sealed: '+/==' }, mixed], [422, 'validation_failed']);
});

test('a message for more people than the desk has is refused and not stored', async () => {
  const stranger = await deriveRecipient(await generateAgeIdentity());
  const { desk } = await shop.services.sealingKeys;
  const bodies = await Array.fromAsync(
    [[...desk, stranger], Array(56).fill(stranger)],
    async (recipients) => ({
      sealed: encodeSealed(await sealContactMessage(message, recipients)),
    }),
  );
  await assertRefused(bodies, [409, 'sealing_keys_changed']);
});

test('a form from another site, too large, or of another kind is refused', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const postForStatus = async (headers: Record<string, string>, body: string) =>
    (await shop.get('/contact', { method: 'POST', headers, body })).status;
  assert.equal(await postForStatus({ ...type, 'sec-fetch-site': 'cross-site' }, 'topic=press'), 403);
  assert.equal(await postForStatus({ ...sameOriginHeaders, ...type }, `message=${'x'.repeat(200_000)}`), 413);
  assert.equal(await postForStatus({ ...sameOriginHeaders, 'content-type': 'application/json' }, '{}'), 415);
});

test('no text of a message is in the log', () => {
  assert.doesNotMatch(shop.readLog(), /canary-|request_failed/i);
});

test('one address may send six messages a minute', async (t) => {
  const limitedShop = await startTestShop(t, { env: { RATE_LIMIT: 'on' } });
  const statuses = await Array.fromAsync(
    { length: 8 },
    async () => (await postFormFields(limitedShop, '/contact', message)).status,
  );
  assert.deepEqual(statuses, [...Array(6).fill(200), 429, 429]);
});
