/** The audit log at the command line: who did what, in a chain that tells whether somebody has changed it. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deriveRecipient } from '#seal/age.ts';
import { computeHolder } from '#seal/holder.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, sendCase } from './desk-cli.ts';

const cleanUp = withReverseCleanup({ after });
const shop = await startTestShop(cleanUp);
const desk = createDeskCli(shop);
const holder = computeHolder(await deriveRecipient(await readPrivateKey(shop.dataDir, 'desk')));
const { id } = await sendCase(shop);

interface Entry {
  readonly number: number;
  readonly by: string | null;
  readonly act: string | null;
  readonly case: string | null;
}

test('what the desk does is listed, and goes with the case', async () => {
  const key = ['--key', desk.key, '--text', 'CANARY-TEXT'];
  assert.equal(await desk.runForText('audit', 'list'), 'No entries.\n');
  await desk.runForText('cases', 'take', id);
  await desk.runForText('cases', 'open', id, '--key', desk.key);
  await desk.runForText('cases', 'note', id, ...key);
  await desk.runForText('cases', 'decline', id, ...key);
  const { entries } = await desk.runForJson<{ entries: Entry[] }>('audit', 'list', '--case', id);
  const acts = entries.toReversed().map(({ act, by }) => [act, by === holder ? 'desk' : by]);
  assert.deepEqual(acts, [
    ['take', null],
    ['read', 'desk'],
    ['read', 'desk'],
    ['note', 'desk'],
    ['read', 'desk'],
    ['decline', 'desk'],
  ]);
  const listed = await desk.runForText('audit', 'list', '--limit', '2');
  assert.match(listed, /NUMBER +WHEN +WHO +WHAT +ABOUT\n6 +20\S+Z +Key [\d ]+ +decline +\S{22}\n/);
  assert.match(listed, /\n\nMore: --after 5\n$/);
  assert.match(await desk.runForText('audit', 'list', '--after', '2'), /\n1 +\S+ +the command line +take +/);

  const verified = await desk.runForText('audit', 'verify');
  const head = /\nHead: (6:\S{43})\n$/.exec(verified)?.[1] ?? '';
  assert.match(verified, /^The chain holds: 6 entries; 0 deleted with what they were about\.\n/);
  await desk.runForText('cases', 'purge', id, '--yes');
  const purged = await desk.runForText('audit', 'verify', '--head', head);
  assert.match(
    purged,
    /^The chain holds: 7 entries, 1 since the head that you gave; 6 deleted with what they were about/,
  );
  const rest = await desk.runForText('audit', 'list');
  assert.ok(!rest.includes(id));
  assert.match(rest, /\n7 +\d{4}-\d\d-\d\d +the command line +purge +a purged case\n/);
  assert.match(rest, /\n6 +- +- +deleted with what it was about +-\n/);
  assert.doesNotMatch(shop.readLog(), /CANARY/);
});

test('a log that is not the one that was seen is told, with what a restore does', async () => {
  const { head } = await desk.runForJson<{ head: string }>('audit', 'verify');
  const refuse = (...args: string[]) => desk.run('audit', 'verify', ...args);
  const later = await refuse('--head', head.replace(/^7:/, '8:'));
  assert.deepEqual([later.code, later.stdout], [65, '']);
  assert.match(later.stderr, /^The log is shorter than what you saw: entry 8 is not there\. A restore/);
  const other = await refuse('--head', `7:${'A'.repeat(43)}`);
  assert.equal(other.code, 65);
  assert.match(other.stderr, /^The log is not the one that you saw: up to entry 7 .* A restore/);
  assert.match(await desk.runRefused(64, 'audit', 'verify', '--head', 'x'), /--head takes the head/);
  assert.match(await desk.runRefused(64, 'audit', 'list', '--after', 'x'), /--after takes the number/);
  await shop.store.records.deleteFrom('audit_entries').where('number', '=', 3).execute();
  const gap = await refuse('--json');
  assert.equal(gap.code, 65);
  assert.match(gap.stderr, /^Entries before number 4 are missing\.\n$/);
  assert.deepEqual((JSON.parse(gap.stdout) as { fault: unknown }).fault, { kind: 'gap', number: 4 });
});
