/** Limits how many statements each operation sends to its engine, including those that begin and end transactions. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { countCaseObjects } from '#store/cases/desk-queue.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import {
  encodeBase64url,
  openApiTestbed,
  sealInquiryForOrder,
  toInlineSealedBody,
} from '#test/api/api-testbed.ts';
import { type SealedForm, splitIntoPieces } from '#test/cases/sealed-form.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { loadOnlyDeskKey, signInAtDesk } from '#test/desk-api/desk-client.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { generateProofKey } from '#test/oauth/dpop-proof.ts';
import {
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
} from '#test/oauth/oauth-test-app.ts';
import { openPostgresEngine, openTestStore } from './engines.ts';
import { createSampleOrder } from './sample-order.ts';
import { countStatements, watchDrivers } from './statement-counter.ts';

/** The maximum number of statements on SQLite and on PostgreSQL. */
const LIMITS: Readonly<Record<string, readonly [sqlite: number, postgres: number]>> = {
  health: [0, 0],
  token: [4, 2],
  'token for a code with DPoP': [14, 6],
  'token for a refresh token with DPoP': [14, 6],
  'checkout of anyone': [3, 1],
  checkout: [5, 2],
  'checkout with a key': [9, 3],
  'upload piece': [5, 3],
  'further upload piece': [8, 3],
  inquiry: [10, 2],
  'inquiry with a key': [11, 2],
  // No more than alone: none of them is rolled back and runs again.
  'sixteen inquiries at once': [160, 32],
  case: [4, 2],
  messages: [3, 3],
  'list of cases': [2, 2],
  message: [7, 3],
  'message with a key': [8, 3],
  'desk: queue': [8, 6],
  'desk: open': [12, 5],
  'desk: open again': [9, 4],
  'desk: take': [10, 8],
  'desk: message': [12, 8],
  'desk: deliver': [12, 8],
  purge: [19, 7],
  withdrawal: [5, 5],
};

const TRANSACTION = /^(?:start transaction|commit|rollback)/;

const cleanUp = withReverseCleanup({ after });
watchDrivers();

const postgresEngine = await openPostgresEngine(cleanUp);
const postgres = await postgresEngine.createDatabase(cleanUp);
// Opened before the first test: awaiting between two suites would let the first one end, and with it the service.
const testbeds = await Array.fromAsync(
  Object.entries({ sqlite: {}, postgres: postgres.env }),
  async ([engine, env]) => ({ engine, testbed: await openApiTestbed(cleanUp, { env }) }),
);

for (const [at, { engine, testbed }] of testbeds.entries()) {
  const { oauth } = testbed;
  const sealMessage = async (
    { form }: { readonly form: SealedForm },
    kind: 'buyer-message.v1' | 'desk-message.v1',
    seq: number,
  ) => {
    const body = { text: 'CANARY', call_windows: [], seen: 0, thread: '' };
    return { seq, sealed: encodeBase64url(await sealEnvelope(form.key, { kind, seq }, body)) };
  };
  const askWithKey = { 'idempotency-key': randomUUID() };

  test(`no operation sends more statements than it needs on ${engine}`, async () => {
    const agent = await testbed.createAgent();
    const desk = await signInAtDesk(testbed, await loadOnlyDeskKey(testbed.dataDir));
    const faults: string[] = [];
    // Pays without the provider, whose events could arrive while something else is counted.
    const placePaidOrder = async () => {
      const now = Date.now();
      const owner = computeOrderOwnerTag(testbed.services.keyring, {
        clientId: agent.client.clientId,
        userId: null,
      });
      const order = createSampleOrder({ owner, payment: 'paid', created_at: now, expires_at: now });
      await testbed.store.transaction((records) => insertOrder(records, order));
      return { orderId: order.id };
    };
    const openCase = async () => {
      const { orderId } = await placePaidOrder();
      const form = await sealInquiryForOrder(testbed, { orderId });
      const { status, json, text } = await agent.submit({
        order_id: orderId,
        sealed: toInlineSealedBody(form),
      });
      assert.equal(status, 201, text);
      return { form, id: String(json['id']) };
    };
    const count = async (name: string, work: () => Promise<unknown>, status = 200) => {
      const statements = await countStatements(async () => {
        const answer = (await work()) as HttpsResponse | undefined;
        if (answer) assert.equal(answer.status, status, `${name}: ${answer.text}`);
      });
      for (const { text, name: known } of statements)
        if (engine === 'postgres' && known === null && !TRANSACTION.test(text))
          faults.push(`${name}: without a name: ${text}`);
      const most = LIMITS[name]?.[at] ?? -1;
      if (statements.length <= most) return;
      const texts = statements.map(({ text }) => `  ${text.slice(0, 200)}`).join('\n');
      faults.push(`${name}: ${statements.length} instead of ${most}\n${texts}`);
    };

    await count('health', () => testbed.get('/api/health'));
    await count('token', () => oauth.requestToken(agent.client, clientCredentialsForm));
    const { createProof } = await generateProofKey();
    const callback = await oauth.authorize(oauth.buildAuthorizeUrl(agent.client.clientId));
    const dpop = async () => ({
      dpop: await createProof({ htm: 'POST', htu: `${testbed.origin}/oauth2/token` }),
    });
    const proof = await dpop();
    let refreshToken = '';
    await count('token for a code with DPoP', async () => {
      const form = buildCodeGrantForm(callback);
      const answer = await oauth.requestToken(agent.client, form, proof);
      refreshToken = String(answer.json['refresh_token']);
      return answer;
    });
    const nextProof = await dpop();
    await count('token for a refresh token with DPoP', () =>
      oauth.requestToken(agent.client, buildRefreshGrantForm(refreshToken), nextProof),
    );

    const { authorization } = agent;
    // The first checkout also measures the storage use, which is not repeated for a while.
    await testbed.postCheckout('Trace');
    await count('checkout of anyone', () => testbed.postCheckout('Trace'));
    await count('checkout', () => testbed.postCheckout('Trace', { authorization }));
    await count('checkout with a key', () => testbed.postCheckout('Trace', { authorization, ...askWithKey }));

    const first = await placePaidOrder();
    const form = await sealInquiryForOrder(testbed, first);
    const [piece = new Uint8Array()] = splitIntoPieces(form.inquiry);
    const uploadPath = `/orders/${first.orderId}/uploads/${form.inquiry.upload}`;
    await count('upload piece', () => agent.request('PUT', `${uploadPath}/0`, piece), 204);
    await count('further upload piece', () => agent.request('PUT', `${uploadPath}/1`, piece), 204);
    await count(
      'inquiry',
      () => agent.submit({ order_id: first.orderId, sealed: toInlineSealedBody(form) }),
      201,
    );
    const second = await placePaidOrder();
    const other = toInlineSealedBody(await sealInquiryForOrder(testbed, second));
    await count(
      'inquiry with a key',
      () => agent.submit({ order_id: second.orderId, sealed: other }, askWithKey),
      201,
    );

    const sealedInquiries = await Array.fromAsync(Array(16), async () => {
      const order = await placePaidOrder();
      const inquiry = toInlineSealedBody(await sealInquiryForOrder(testbed, order));
      return { order_id: order.orderId, sealed: inquiry };
    });
    await count('sixteen inquiries at once', async () => {
      const answers = await Promise.all(sealedInquiries.map((inquiry) => agent.submit(inquiry)));
      for (const { status, text } of answers) assert.equal(status, 201, text);
    });

    const opened = await openCase();
    const path = `/cases/${opened.id}`;
    await count('case', () => agent.request('GET', path));
    await count('messages', () => agent.request('GET', `${path}/messages`));
    await count('list of cases', () => agent.request('GET', '/cases'));
    const message = await sealMessage(opened, 'buyer-message.v1', 0);
    await count('message', () => agent.request('POST', `${path}/messages`, message), 201);
    const next = await sealMessage(opened, 'buyer-message.v1', 1);
    await count('message with a key', () => agent.request('POST', `${path}/messages`, next, askWithKey), 201);

    await count('desk: queue', () => desk.send('/cases'));
    await count('desk: open', () => desk.send(`/cases/${opened.id}`));
    await count('desk: open again', () => desk.send(`/cases/${opened.id}`));
    await count('desk: take', () =>
      desk.send(`/cases/${opened.id}/acts`, { method: 'POST', body: { act: 'take' } }),
    );
    const reply = { ...(await sealMessage(opened, 'desk-message.v1', 0)), act: 'message' };
    await count('desk: message', () =>
      desk.send(`/cases/${opened.id}/messages`, { method: 'POST', body: reply }),
    );
    const finding = await sealEnvelope(opened.form.key, { kind: 'finding.v1', seq: 0 }, { text: 'CANARY' });
    await count('desk: deliver', () =>
      desk.send(`/cases/${opened.id}/finding`, {
        method: 'POST',
        body: { seq: 0, sealed: encodeBase64url(finding), files: [], at_once: true },
      }),
    );
    await count('purge', () => purgeCaseNow(testbed.services, opened.id));
    const withdrawn = await openCase();
    await count('withdrawal', () => agent.request('DELETE', `/cases/${withdrawn.id}`), 200);

    if (faults.length > 0) assert.fail(faults.join('\n\n'));
  });
}

test('a list of any length is one statement on PostgreSQL, and no number of statements gives more names than fit', async (t) => {
  const { records } = await openTestStore(t, await postgresEngine.createDatabase(t));
  const statements = await countStatements(async () => {
    for (let length = 1; length <= 20; length += 1)
      await countCaseObjects(records, Array(length).fill('x'), ['finding.v1']);
    for (let number = 0; number < 1_000; number += 1)
      await sql`select ${sql.lit(number)} as n`.execute(records);
  });
  const lists = statements.filter(({ text }) => text.includes('objects'));
  assert.equal(lists.length, 20);
  assert.equal(new Set(lists.map(({ name }) => name)).size, 1);
  const names = new Set(statements.flatMap(({ name }) => name ?? []));
  assert.ok(names.size > 500 && names.size < 1_000, String(names.size));
});

test('a statement works on after another instance has changed its table, within a transaction and without', async (t) => {
  const { records, transaction } = await openTestStore(t, await postgresEngine.createDatabase(t));
  const read = async () => await findRecipientSet(records);
  const readInTransaction = async () => await transaction(findRecipientSet);
  for (const [column, ask] of [
    ['one', read],
    ['two', readInTransaction],
  ] as const) {
    // Uses every connection of the pool.
    await Promise.all(Array.from({ length: 20 }, ask));
    await sql`alter table recipient_set add column ${sql.ref(column)} text`.execute(records);
    await Promise.all(Array.from({ length: 20 }, ask));
  }
});

test('statements go without names behind a pooler whose sessions do not know them', async (t) => {
  const { records, transaction } = await openTestStore(t, await postgresEngine.createDatabase(t));
  const forget = sql`deallocate all`;
  const read = () => findRecipientSet(records);
  const readInTransaction = () =>
    transaction(async (open) => {
      await forget.execute(open);
      return await findRecipientSet(open);
    });
  await Promise.all(Array.from({ length: 20 }, read));
  await readInTransaction();
  const statements = await countStatements(
    async () => void (await Promise.all([read(), readInTransaction()])),
  );
  assert.deepEqual(
    statements.filter(({ name }) => name !== null),
    [],
  );
});
