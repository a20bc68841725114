/** The queue and the inbox: earliest deadline first, in pages, without sealed content. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { generateId } from '#platform/text/ids.ts';
import type { Case } from '#store/cases/cases.ts';
import { postFormFields } from '#test/cases/plain-form.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, spawnCli, toOwnServiceEnv } from './desk-cli.ts';

const HOUR = 3_600_000;
const shop = await startTestShop({ after });
const desk = createDeskCli(shop);
const now = Date.now();

const states = ['received', 'in_progress', 'awaiting_client', 'delivered', 'declined'] as const;

async function insertQueuedCase(index: number, state: Case['state']): Promise<string> {
  // Every character that an identifier may begin with.
  const id = `${['-', '--', 'a', '_'][index % 4]}${generateId()}`.slice(0, 22);
  const due = now + (index - 3) * HOUR - HOUR / 4;
  await insertPlantedCase(shop, {
    id,
    tier: 'Dossier',
    state,
    due_at: due,
    delivered_at: state === 'delivered' ? now : null,
    purge_at: OPEN.includes(state) ? null : now + 30 * 24 * HOUR,
  });
  return id;
}

const OPEN: readonly string[] = states.slice(0, 3);
const ids: string[] = [];
for (let index = 0; index < 10; index += 1)
  ids.push(await insertQueuedCase(index, states[index % states.length]!));

/** Scripts rely on these names. */
const FACTS = [
  'id name tier state call sealed_by keep_days submitted_at due_at late delivered_at held_until purge_at',
  'purge_by holder unanswered_since changed_at',
];

interface CaseList {
  readonly cases: { id: string; state: string; late: boolean; due_at: string }[];
  readonly next: string | null;
}

test('the list shows open cases by deadline, with the hours left or overdue', async () => {
  const text = await desk.runForText('cases', 'list');
  const lines = text.trimEnd().split('\n');
  const rows = lines.slice(1, -2);
  assert.equal(lines.at(-1), '6 open, 3 late, 0 awaiting reply, 6 unassigned, 0 yours.');
  const open = ids.filter((_id, index) => index % states.length < 3);
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/)[0]),
    open,
  );
  assert.match(rows[0] ?? '', /received +3 hours late/);
  assert.match(rows[5] ?? '', /awaiting client +in 4 hours/);
  assert.doesNotMatch(text, /canary/i);
  assert.match(await desk.runForText('cases', 'list', '--state', 'withdrawn'), /^No cases\.\n\n6 open/);
});

test('what is late is red where colours are shown, and every column stays in its place', async () => {
  const plain = (await desk.runForText('cases', 'list')).split('\n');
  const { stdout } = await spawnCli({ ...toOwnServiceEnv(shop), FORCE_COLOR: '1' }, ['cases', 'list']);
  const coloured = stdout.split('\n');
  assert.deepEqual(coloured.map(stripVTControlCharacters), plain);
  for (const [index, line] of coloured.entries())
    assert.equal(line.includes('\u001b[31m'), / late {2}/.test(plain[index] ?? ''), line);
});

test('each page continues after the one before, and the last page promises no more', async () => {
  const seen: string[] = [];
  let pages = 0;
  for (let next: string | null = ''; next !== null; pages += 1) {
    const from: string[] = next ? ['--after', next] : [];
    const page: CaseList = await desk.runForJson('cases', 'list', '--state', 'all', '--limit', '4', ...from);
    seen.push(...page.cases.map(({ id }) => id));
    next = page.next;
  }
  assert.deepEqual([seen, pages], [ids, 3]);
  assert.match(
    await desk.runForText('cases', 'list', '--limit', '2'),
    /\nMore: --after \d+\.[\w-]{22}\n\n6 open.*\n$/,
  );
  const full = ['cases', 'list', '--state', 'all', '--limit', String(ids.length)];
  assert.doesNotMatch(await desk.runForText(...full), /^More/m, 'a last page that is full');
});

test('every identifier can be shown, even one that begins with a dash', async () => {
  for (const id of ids.slice(0, 4)) {
    const { case: facts, objects } = await desk.runForJson<{
      case: Record<string, unknown>;
      objects: unknown[];
    }>('cases', 'show', id);
    assert.equal(facts['id'], id);
    assert.equal(objects.length, 2);
    const { entries } = await desk.runForJson<{ entries: { case: string }[] }>('audit', 'list', '--case', id);
    assert.deepEqual(new Set(entries.map((entry) => entry.case)), new Set([id]));
    assert.equal(Object.keys(facts).join(' '), FACTS.join(' '));
  }
});

test('contact messages are listed oldest first, opened with the key, and marked as done', async () => {
  for (const text of ['First of all CANARY', 'Second of all CANARY']) {
    const fields = { topic: 'press', message: text, reply_to: 'canary-reply@example.org' };
    assert.equal((await postFormFields(shop, '/contact', fields)).status, 200);
  }
  const list = await desk.runForText('contact', 'list');
  assert.doesNotMatch(list, /canary/i);
  const { messages, next } = await desk.runForJson<{ messages: { id: string }[]; next: string }>(
    'contact',
    'list',
    '--limit',
    '1',
  );
  const [first] = messages;
  const rest = await desk.runForJson<{ messages: { id: string }[] }>('contact', 'list', '--after', next);
  assert.equal(rest.messages.length, 1);
  const text = await desk.runForText('contact', 'open', first!.id);
  assert.match(text, /Topic +press\nReply to +canary-reply@example\.org\nMessage +First of all CANARY\n$/);
  const opened = await desk.runForJson('contact', 'open', first!.id);
  assert.equal(opened['text'], 'First of all CANARY');
  assert.match(
    await desk.runForText('contact', 'done', first!.id),
    /^Done\. The message is purged in 30 days/,
  );
  assert.match(await desk.runRefused(1, 'contact', 'done', first!.id), /a colleague may have handled it/);
  const left = await desk.runForJson<{ messages: { id: string }[] }>('contact', 'list');
  assert.deepEqual(left.messages, rest.messages);
});
