/** An investigator's morning: what is new, what is answered, what is next, and what only this key remembers. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import test, { after } from 'node:test';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { startTestShop } from '#test/test-shop.ts';
import { nameCase } from '#wire/case-name.ts';
import { createDeskCli, sendBuyerMessage, sendCase } from './desk-cli.ts';
import { createTeamMember, writeTeamSettings } from './desk-team.ts';

const cleanUp = withReverseCleanup({ after });
const folder = await createTemporaryFolder(cleanUp);
const [ada, zoe, recovery] = await Promise.all(
  ['Ada', 'Zoë', 'recovery'].map((name) => createTeamMember(folder, name)),
);
const env = await writeTeamSettings(folder, [ada!, zoe!], recovery!.recipient);
const shop = await startTestShop(cleanUp, { env });
const desk = createDeskCli(shop, env);
const [first, second, third] = [
  await sendCase(shop),
  await sendCase(shop, { tier: 'Dossier' }),
  await sendCase(shop),
];

interface ListedCase {
  readonly id: string;
  readonly name: string;
  readonly new?: boolean;
  readonly messages: Record<string, number>;
  readonly unanswered_since: string | null;
}

async function listAs(who: typeof ada, ...args: string[]): Promise<ListedCase[]> {
  const list = ['cases', 'list', '--key', who!.keyFile, ...args];
  return (await desk.runForJson<{ cases: ListedCase[] }>(...list)).cases;
}

async function listIds(who: typeof ada, ...args: string[]): Promise<string[]> {
  return (await listAs(who, ...args)).map(({ id }) => id);
}

test('next takes what is due first, passes over what others have, and opens it', async () => {
  const toNextArgs = (who: typeof ada, ...args: string[]) => [
    'cases',
    'next',
    '--key',
    who!.keyFile,
    ...args,
  ];
  const opened = await desk.runForText(...toNextArgs(ada));
  assert.match(opened, new RegExp(`^Case +${first.id}\nName +${nameCase(first.id)}\n`));
  assert.match(opened, /\nState +in progress\n.*\nAssignee +Ada\n.*\nINQUIRY\n.*Payment/s);
  // Hers stays next until she is done with it.
  assert.match(await desk.runForText(...toNextArgs(ada)), new RegExp(`^Case +${first.id}\n`));
  const dossier = await desk.runForText(...toNextArgs(ada, '--tier', 'dossier'));
  assert.match(dossier, new RegExp(`^Case +${second.id}\n`));
  const results = await Promise.all([desk.run(...toNextArgs(zoe)), desk.run(...toNextArgs(zoe))]);
  for (const { stdout } of results) assert.match(stdout, new RegExp(`^Case +${third.id}\n`));
  assert.equal(
    await desk.runForText(...toNextArgs(zoe, '--tier', 'Deep Sweep')),
    'Nothing is waiting for you.\n',
  );
  // A key that opens nothing takes nothing.
  await desk.runForText('cases', 'let-go', third.id, '--key', zoe!.keyFile);
  await desk.runRefused(77, ...toNextArgs(await createTeamMember(folder, 'Stranger')));
  assert.deepEqual(await listIds(ada, '--unassigned'), [third.id]);
});

test('what is new is new to one key, until it opens the case again', async () => {
  assert.deepEqual(await listIds(ada, '--new'), [third.id]);
  assert.deepEqual(await listIds(zoe, '--new'), [first.id, second.id]);
  await sendBuyerMessage(shop, first, 0, 'CANARY answer');
  const [row] = await listAs(ada, '--new', '--limit', '1');
  assert.deepEqual([row?.id, row?.new, row?.messages['buyer']], [first.id, true, 1]);
  const table = await desk.runForText('cases', 'list', '--key', ada!.keyFile);
  assert.match(table, new RegExp(`^${first.id} +${nameCase(first.id)} .* NEW answer +you `, 'm'));
  assert.match(table, /\n3 open, 0 late, 1 awaiting reply, 1 unassigned, 2 yours\.\n$/);
  const others = await desk.runForText('cases', 'list', '--key', zoe!.keyFile);
  assert.match(others, new RegExp(`^${first.id} .* NEW answer +Key [\\d ]+ `, 'm'));
  assert.doesNotMatch(table + others, /canary/i);

  await desk.runForText('cases', 'open', first.id, '--key', ada!.keyFile);
  assert.deepEqual(await listIds(ada, '--new'), [third.id]);
  assert.deepEqual(await listIds(ada, '--unanswered'), [first.id], 'read, and still not answered');
  assert.deepEqual(await listIds(ada, '--mine'), [first.id, second.id]);
  assert.deepEqual(await listIds(ada, '--mine', '--tier', 'trace'), [first.id]);
  assert.deepEqual(await listIds(ada, '--late'), []);
  const seen = ['--seen', '1', '--text', 'Thank you.'];
  await desk.runForText('cases', 'message', nameCase(first.id), '--key', ada!.keyFile, ...seen);
  assert.deepEqual(await listIds(ada, '--unanswered'), []);
});

test('a file of marks that was changed is refused, and hides no answer', async () => {
  const path = `${ada!.keyFile}.seen`;
  const text = await readFile(path, 'utf8');
  assert.match(
    text,
    /^inquiry-office seen 2 [\w-]{22}\n([\w-]{43} \d+\/\d+\/[\w-]+ \d{4}-\d{2}\n)+[\w-]{43}\n$/,
  );
  assert.doesNotMatch(text, /canary/i);
  for (const changed of [text.replace(/ \d /, ' 9 '), text.split('\n').toSpliced(1, 1).join('\n'), '', 'x']) {
    await writeFile(path, changed);
    for (const args of [['list'], ['open', first.id]])
      assert.match(
        await desk.runRefused(65, 'cases', ...args, '--key', ada!.keyFile),
        /Ada\.key\.seen: damaged, changed without the key/,
      );
  }
  await writeFile(path, text);
});
