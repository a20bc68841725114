/** The master key is changed while people buy, sign in and wait for their finding: nobody loses anything. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { MINUTE_MS } from '#platform/durations.ts';
import { generateWords } from '#seal/words.ts';
import { createKeyring, generateMasterKey, type Keyring } from '#store/keyring.ts';
import { requireMasterKeys } from '#store/master-keys.ts';
import { openApiTestbed, samplePlainInquiry } from '#test/api/api-testbed.ts';
import {
  createAgentByWords,
  createAgentForAddress,
  listVisibleCases,
  listVisibleOrders,
} from '#test/api/people.ts';
import { openPaidForm, sendPlainForm } from '#test/cases/plain-form.ts';
import { readSignInCode } from '#test/oauth/oauth-test-app.ts';
import { type CliResult, runCli } from './desk-cli.ts';
import { createSwitchedKeyring } from './switched-keyring.ts';

const [FORMER, NEXT] = [generateMasterKey(), generateMasterKey()];
const stages = {
  former: createKeyring(FORMER),
  prepared: createKeyring(FORMER, NEXT),
  changed: createKeyring(NEXT, FORMER),
  next: createKeyring(NEXT),
};
const { keyring, use } = createSwitchedKeyring(stages.former);
const bed = await openApiTestbed({ after }, { keyring });
const { oauth, store } = bed;

/** As if an instance with this keyring had run some minutes ago. */
async function recordEarlierInstance(noted: Keyring): Promise<void> {
  await requireMasterKeys({
    store,
    keyring: noted,
    clock: { now: () => Date.now() - 10 * MINUTE_MS },
  });
}

async function runRetire(master: string, ...args: string[]): Promise<CliResult> {
  const env = { DATA_DIR: bed.dataDir, MASTER_KEY: master, SWEEP_SECONDS: '60' };
  return await runCli(env, ['keys', 'master', 'retire', ...args]);
}

async function countRows(table: 'cases' | 'orders' | 'users'): Promise<number> {
  return (await store.records.selectFrom(table).select('id').execute()).length;
}

async function submitCase(agent: Awaited<ReturnType<typeof bed.createAgent>>, words = generateWords()) {
  const { orderId } = await agent.buy();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry, words } };
  const headers = { 'idempotency-key': `case-${orderId}` };
  const { status, json, text } = await agent.submit(body, headers);
  assert.equal(status, 201, text);
  return { id: String(json['id']), orderId, words, repeat: () => agent.submit(body, headers) };
}

test('every step of a change keeps orders, cases, people, sign-ins and repeated requests', async () => {
  const client = await oauth.createClient();
  const program = await bed.createAgent();
  const ann = await createAgentForAddress(bed, client, 'ann@example.com');
  const annsCase = await submitCase(ann);
  const programsCase = await submitCase(program);
  const wordsAgent = await createAgentByWords(bed, client, programsCase.words);
  assert.deepEqual(await listVisibleCases(wordsAgent), [programsCase.id]);
  const { json: checkout } = await bed.postCheckout('Trace', {
    authorization: ann.authorization,
    'idempotency-key': 'bought-before',
  });
  const form = await openPaidForm(bed);
  const spareForm = await openPaidForm(bed);
  const browser = oauth.openBrowser();
  await browser.open(oauth.buildAuthorizeUrl(client.clientId));
  await browser.submitForm('address', { address: 'ann@example.com' });
  const mailedCode = readSignInCode((await oauth.readLetters()).at(-1));
  const [cases, orders, users] = [
    await countRows('cases'),
    await countRows('orders'),
    await countRows('users'),
  ];
  await recordEarlierInstance(stages.former);

  const assertAllFound = async () => {
    assert.deepEqual(await listVisibleCases(ann), [annsCase.id]);
    assert.deepEqual(await listVisibleCases(program), [programsCase.id]);
    assert.deepEqual(await listVisibleCases(wordsAgent), [programsCase.id]);
    assert.equal((await wordsAgent.request('GET', `/cases/${programsCase.id}`)).status, 200);
    assert.equal((await ann.request('GET', `/cases/${programsCase.id}`)).status, 404);
    assert.ok((await listVisibleOrders(ann)).includes(annsCase.orderId));
    assert.deepEqual(await listVisibleOrders(program), [programsCase.orderId]);
    await createAgentForAddress(bed, client, 'ann@example.com');
    await createAgentByWords(bed, client, programsCase.words);
    assert.equal(await countRows('users'), users, 'nobody became two users');
  };

  for (const stage of ['prepared', 'changed'] as const) {
    use(stages[stage]);
    await assertAllFound();
    assert.equal((await annsCase.repeat()).json['id'], annsCase.id);
    const again = await bed.postCheckout('Trace', {
      authorization: ann.authorization,
      'idempotency-key': 'bought-before',
    });
    assert.deepEqual(again.json, checkout);
    const other = await bed.postCheckout('Dossier', {
      authorization: ann.authorization,
      'idempotency-key': 'bought-before',
    });
    assert.equal(other.json['code'], 'idempotency_key_reused');
    assert.deepEqual([await countRows('cases'), await countRows('orders')], [cases, orders]);
    await recordEarlierInstance(stages[stage]);
  }
  await browser.submitForm('code', { code: mailedCode });
  await browser.submitForm('consent');
  assert.ok(browser.getExternalRedirect()?.searchParams.get('code'), 'a code mailed before the change');
  assert.equal((await sendPlainForm(bed, form)).status, 200, 'a form opened before the change');
  const between = await submitCase(ann);
  assert.deepEqual((await listVisibleOrders(ann)).toSorted().length, 3);

  const { code, stdout, stderr } = await runRetire(`${NEXT},${FORMER}`, '--yes', '--json');
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout) as { ended: boolean; lost: Record<string, number> };
  assert.equal(report.ended, true);
  assert.deepEqual([report.lost['orders'], report.lost['cases'], report.lost['unreadable']], [0, 0, 0]);
  assert.match(stderr, /paid orders? without an inquiry/, 'the spare form’s cookie is lost');
  use(stages.next);
  assert.deepEqual((await listVisibleCases(ann)).toSorted(), [annsCase.id, between.id].toSorted());
  assert.deepEqual((await listVisibleOrders(ann)).length, 3);
  assert.deepEqual(await listVisibleCases(wordsAgent), [programsCase.id]);
  assert.deepEqual(await listVisibleOrders(program), [programsCase.orderId]);
  await createAgentForAddress(bed, client, 'ann@example.com');
  await createAgentByWords(bed, client, programsCase.words);
  assert.equal(await countRows('users'), users);
  assert.equal((await between.repeat()).json['id'], between.id, 'requests of the new key are still known');
  assert.equal((await sendPlainForm(bed, spareForm)).status, 403);
});
