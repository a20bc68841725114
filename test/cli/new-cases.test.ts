/** An investigator's morning: what is next, and what only this key remembers. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import test, { after } from 'node:test';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { startTestShop } from '#test/test-shop.ts';
import { nameCase } from '#wire/case-name.ts';
import { createDeskCli, sendCase } from './desk-cli.ts';
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
  // Ada's case stays next until she is done with it.
  assert.match(await desk.runForText(...toNextArgs(ada)), new RegExp(`^Case +${first.id}\n`));
  const dossier = await desk.runForText(...toNextArgs(ada, '--tier', 'dossier'));
  assert.match(dossier, new RegExp(`^Case +${second.id}\n`));
  const results = await Promise.all([desk.run(...toNextArgs(zoe)), desk.run(...toNextArgs(zoe))]);
  for (const { stdout } of results) assert.match(stdout, new RegExp(`^Case +${third.id}\n`));
  assert.equal(
    await desk.runForText(...toNextArgs(zoe, '--tier', 'Deep Sweep')),
    'Nothing is waiting for you.\n',
  );
  // A key that cannot open a case is not assigned any.
  await desk.runForText('cases', 'let-go', third.id, '--key', zoe!.keyFile);
  await desk.runRefused(77, ...toNextArgs(await createTeamMember(folder, 'Stranger')));
  const unassigned = ['cases', 'list', '--key', ada!.keyFile, '--unassigned'];
  const { cases } = await desk.runForJson<{ cases: { id: string }[] }>(...unassigned);
  assert.deepEqual(
    cases.map(({ id }) => id),
    [third.id],
  );
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
