/** After a flood of contact messages, one command marks many of them as handled. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { deriveRecipient, generateAgeIdentity, sealBytes } from '#seal/core/age.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { type ScriptedAnswer, startScriptedOffice } from '#test/desk/scripted-office.ts';
import { buildTestApp } from '#test/test-app.ts';
import { createDeskCli, runCli, toOwnServiceEnv } from './desk-cli.ts';

const app = await buildTestApp({ after });
const desk = createDeskCli(app);
const { records } = app.store;

async function storeMessages(count: number, sealed: Uint8Array = new Uint8Array(10)): Promise<string[]> {
  const ids = Array.from({ length: count }, generateId);
  for (const id of ids)
    await insertContactMessage(records, {
      id,
      sealed,
      sealed_by: 'browser',
      received_at: Date.now(),
      purge_at: Date.now() + 86_400_000,
    });
  return ids;
}

const countOpen = async () =>
  (await records.selectFrom('contact_messages').select('id').where('done_at', 'is', null).execute()).length;

test('several messages are marked as handled at once, or none if one of them is unknown', async () => {
  const [first = '', second = '', third = ''] = await storeMessages(3);
  assert.match(
    await desk.runRefused(1, 'contact', 'done', first, generateId()),
    /Not all of these messages are waiting, so nothing was changed/,
  );
  assert.equal(await countOpen(), 3);
  assert.equal(await desk.runForText('contact', 'done', first, second, first), 'Done: 2 messages.\n');
  assert.match(
    await desk.runRefused(1, 'contact', 'done', third, second),
    /a colleague may have handled some of them/,
  );
  assert.equal(await countOpen(), 1);
  assert.match(await desk.runForText('contact', 'done', third), /^Done\. The message is purged in 30 days/);
});

test('one that is damaged, or sealed to another key, is told by its exit code', async () => {
  const stranger = await deriveRecipient(await generateAgeIdentity());
  const [other = ''] = await storeMessages(1, await sealBytes(new Uint8Array(10), [stranger]));
  assert.match(await desk.runRefused(77, 'contact', 'open', other), /^It is not sealed to your key/);
  const [damaged = ''] = await storeMessages(1);
  await desk.runRefused(65, 'contact', 'open', damaged);
  await desk.runForText('contact', 'done', other, damaged);
});

test('all messages are marked as handled after a confirmation', async () => {
  // More messages than the office lists at once.
  await storeMessages(51);
  const env = toOwnServiceEnv(app);
  const unsure = await runCli(env, ['contact', 'done', '--all'], 'no\n');
  assert.deepEqual([unsure.code, unsure.stdout], [1, '']);
  assert.match(unsure.stderr, /This affects 51 messages\. Type done.*\n?Not confirmed/);
  assert.equal(await countOpen(), 51);
  const sure = await runCli(env, ['contact', 'done', '--all'], 'done\n');
  assert.deepEqual([sure.code, sure.stdout], [0, 'Done: 51 messages.\n']);
  assert.equal(await countOpen(), 0);
  assert.deepEqual(await desk.runForJson('contact', 'done', '--all'), { done: 0 });
  assert.match(await desk.runRefused(64, 'contact', 'done', '--all', generateId()), /takes no ID/);
  assert.match(await desk.runRefused(64, 'contact', 'done'), /ID is missing/);
});

type Refusal = readonly [status: number, code: string];

/** Three messages at an office that refuses to mark them, once for each of these reasons, and then marks them. */
async function closeAllAgainst(t: test.TestContext, refusals: Readonly<Record<string, readonly Refusal[]>>) {
  const office = await startScriptedOffice(t);
  const folder = await createTemporaryFolder(t);
  const [key, ca] = [join(folder, 'own.key'), join(folder, 'office.crt')];
  await writeFile(key, `${office.key.identity}\n`, { mode: 0o600 });
  await writeFile(ca, office.ca);
  const ids = ['A', 'B', 'C'].map((last) => `q1Zl7yBq3mJx0c2y8l4Qx${last}`);
  const at = toIsoTime(Date.now());
  const messages = ids.map((id) => ({
    id,
    sealed_by: 'browser',
    received_at: at,
    purge_at: at,
    sealed: 'AAAA',
  }));
  const asked: string[] = [];
  office.script = ({ path }): ScriptedAnswer | null => {
    if (path === '/contact') return { json: { messages, next: null } };
    const name = /(.)\/done$/.exec(path)?.[1];
    if (name === undefined) return null;
    const before = asked.filter((each) => each === name).length;
    asked.push(name);
    const [status, code] = refusals[name]?.[before] ?? [];
    return status ? { status, json: { code } } : { raw: (response) => response.writeHead(204).end() };
  };
  const words = ['contact', 'done', '--all', '--yes', '--office', office.origin, '--ca', ca, '--key', key];
  const result = await runCli({ DATA_DIR: join(folder, 'nothing') }, words);
  return { ...result, asked: asked.join('') };
}

test('an office that takes no more for now is asked again, and what others have done is passed over', async (t) => {
  const refusals = { A: [[409, 'case_state']], B: [[429, 'rate_limited']], C: [[404, 'not_found']] } as const;
  const { code, stdout, stderr, asked } = await closeAllAgainst(t, refusals);
  assert.deepEqual([code, stdout, asked], [0, 'Done: 1 message.\n', 'ABBC'], stderr);
  assert.equal(stderr, 'Waiting: too many requests in one minute. Done so far: 0 of 3 messages.\n');
});

test('an office that cannot mark a message ends the command, which says how many it has marked', async (t) => {
  for (const [refusal, exitCode, line] of [
    [[503, 'storage_unavailable'], 69, /^The office cannot do this at the moment\./],
    [[503, 'answer_timeout'], 69, /^The office took too long to answer\./],
    [[500, 'internal_error'], 1, /^The office refused this \(internal_error\)\./],
  ] as const) {
    const { code, stdout, stderr, asked } = await closeAllAgainst(t, { B: [refusal] });
    assert.deepEqual([code, stdout, asked], [exitCode, '', 'AB'], stderr);
    assert.match(stderr, line);
    assert.match(stderr, /^[^\n]+\. Done so far: 1 of 3 messages\.\n$/);
  }
});
