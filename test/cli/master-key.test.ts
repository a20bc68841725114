/** The master key is changed while buyers have paid, signed in and wait for a finding: none of them loses anything. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { MINUTE_MS } from '#platform/durations.ts';
import { generateWords } from '#seal/core/words.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import { recordMasterKey } from '#store/keys/master-keys.ts';
import { openApiTestbed, samplePlainInquiry } from '#test/api/api-testbed.ts';
import {
  createAgentByWords,
  createAgentForAddress,
  listVisibleCases,
  listVisibleOrders,
} from '#test/api/people.ts';
import { openPaidForm, sendPlainForm } from '#test/cases/plain-form.ts';
import { runCli } from './desk-cli.ts';
import { createSwitchedKeyring } from './switched-keyring.ts';

const [PREVIOUS, NEXT] = [generateMasterKey(), generateMasterKey()];
const { keyring, use } = createSwitchedKeyring(createKeyring(PREVIOUS));
const bed = await openApiTestbed({ after }, { keyring });
const { oauth, store } = bed;

/** Stops the service long enough, changes the key, and starts the service with the new one. */
async function changeMasterKey(): Promise<Record<string, number>> {
  const earlier = { now: () => Date.now() - 10 * MINUTE_MS };
  await recordMasterKey({ store, keyring, clock: earlier }, MINUTE_MS);
  const file = join(bed.dataDir, 'next.key');
  await writeFile(file, NEXT);
  const env = { DATA_DIR: bed.dataDir, MASTER_KEY: PREVIOUS, SWEEP_SECONDS: '60' };
  const { code, stdout, stderr } = await runCli(env, ['keys', 'master', 'change', '--new', file, '--json']);
  assert.equal(code, 0, stderr);
  use(createKeyring(NEXT));
  return (JSON.parse(stdout) as { lost: Record<string, number> }).lost;
}

async function countRows(table: 'users'): Promise<number> {
  return (await store.records.selectFrom(table).select('id').execute()).length;
}

async function submitCase(agent: Awaited<ReturnType<typeof bed.createAgent>>, words = generateWords()) {
  const { orderId } = await agent.buy();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry, words } };
  const { status, json, text } = await agent.submit(body);
  assert.equal(status, 201, text);
  return { id: String(json['id']), orderId, words };
}

test('a change keeps orders, cases, people, consents and the way to a form', async () => {
  const client = await oauth.createClient();
  const program = await bed.createAgent();
  const ann = await createAgentForAddress(bed, client, 'ann@example.com');
  const annsCase = await submitCase(ann);
  const programsCase = await submitCase(program);
  const wordsAgent = await createAgentByWords(bed, client, programsCase.words);
  const { orderId: unused } = await ann.buy();
  const form = await openPaidForm(bed);
  const users = await countRows('users');

  const assertAllFound = async () => {
    assert.deepEqual(await listVisibleCases(ann), [annsCase.id]);
    assert.deepEqual(await listVisibleCases(program), [programsCase.id]);
    assert.deepEqual(await listVisibleCases(wordsAgent), [programsCase.id]);
    assert.equal((await wordsAgent.request('GET', `/cases/${programsCase.id}`)).status, 200);
    assert.equal((await ann.request('GET', `/cases/${programsCase.id}`)).status, 404);
    assert.deepEqual((await listVisibleOrders(ann)).toSorted(), [annsCase.orderId, unused].toSorted());
    assert.deepEqual(await listVisibleOrders(program), [programsCase.orderId]);
    await createAgentForAddress(bed, client, 'ann@example.com');
    await createAgentByWords(bed, client, programsCase.words);
    assert.equal(await countRows('users'), users, 'no person became two users');
  };
  await assertAllFound();
  const browser = oauth.openBrowser();
  await browser.open(oauth.buildAuthorizeUrl(client.clientId));
  await browser.submitForm('address', { address: 'ann@example.com' });

  const lost = await changeMasterKey();
  assert.deepEqual(
    [lost['unreadable'], lost['owners_of_orders'], lost['owners_of_cases'], lost['forms']],
    [0, 0, 0, 2],
  );
  await assertAllFound();
  const plain = { inquiry: samplePlainInquiry, words: generateWords() };
  assert.equal((await ann.submit({ order_id: unused, plain })).status, 201, 'an order that was not used');
  assert.equal((await sendPlainForm(bed, form)).status, 403, 'the cookie of a form ends');
});
