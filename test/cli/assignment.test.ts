/** Two investigators at the command line: who has a case, who may write in it, and how a case is named. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { listEngines, TEST_MASTER_KEY } from '#test/store/engines.ts';
import { buildTestApp } from '#test/test-app.ts';
import { startTestShop } from '#test/test-shop.ts';
import { nameCase } from '#wire/case-name.ts';
import { createDeskCli, sendCase } from './desk-cli.ts';
import { createTeamMember, writeTeamSettings } from './desk-team.ts';

const cleanUp = withReverseCleanup({ after });
const folder = await createTemporaryFolder(cleanUp);
const [ada, zoe, recovery] = await Promise.all(
  ['Ada', 'Zoë', 'recovery'].map((name) => createTeamMember(folder, name)),
);
for (const { name } of [ada!, zoe!]) await writeFile(join(folder, `${name}.md`), 'A finding');
const team = await writeTeamSettings(folder, [ada!, zoe!], recovery!.recipient);

for (const engine of await listEngines(cleanUp))
  test(`on ${engine.name}, two investigators work beside each other, and one takes over`, async (t) => {
    const { DATABASE_URL: url = '' } = (await engine.createDatabase(t)).env;
    const env = {
      ...team,
      ...(engine.name === 'sqlite' ? {} : { DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY }),
    };
    const shop = await startTestShop(t, { env });
    const desk = createDeskCli(shop, env);
    const { id } = await sendCase(shop, { tier: 'Dossier' });
    const writeAs = (who: typeof ada, text: string) =>
      ['cases', 'message', id, '--key', who!.keyFile, '--text', text] as const;

    const taken = await Promise.all(
      [ada, zoe].map((who) => desk.run('cases', 'take', id, '--key', who!.keyFile)),
    );
    assert.deepEqual(taken.map(({ code }) => String(code)).toSorted(), ['0', '1']);
    const [winner, loser] = taken[0]?.code === 0 ? [ada, zoe] : [zoe, ada];
    assert.match(taken.find(({ code }) => code === 0)?.stdout ?? '', /^Assigned to you\. .*in progress/);
    // Neither has confirmed yet whose key the other one is.
    const told = new RegExp(
      `^Key [\\d ]+ has this case, so nothing was done\\. To reassign it to yourself: office cases take-over ${id}\\n$`,
    );
    assert.match(taken.find(({ code }) => code === 1)?.stderr ?? '', told);
    const show = ['cases', 'show', id, '--key', winner!.keyFile] as const;
    assert.match(await desk.runForText(...show), new RegExp(`\\nAssignee +${winner?.name}\\n`));

    assert.match(await desk.runRefused(1, ...writeAs(loser, 'from the other')), told);
    const over = ['cases', 'take-over', id, '--key', loser!.keyFile];
    assert.match(await desk.runForText(...over), /^Assigned to you/);
    assert.match(await desk.runRefused(1, ...writeAs(winner, 'too late')), told);
    assert.match(
      await desk.runForText('cases', 'let-go', id, '--key', loser!.keyFile),
      /^The case is unassigned/,
    );
    const { case: facts } = await desk.runForJson<{ case: Record<string, unknown> }>(...show);
    assert.deepEqual([facts['holder'], facts['name']], [null, nameCase(id)]);
    // Writing in an unassigned case assigns it to the writer.
    assert.match(await desk.runForText(...writeAs(winner, 'again mine')), /^Message sent/);
    assert.match(await desk.runForText(...show), new RegExp(`\\nAssignee +${winner?.name}\\n`));
  });

test('a case is named by the beginning of its id or by two words, and several are refused', async (t) => {
  const app = await buildTestApp(t);
  const desk = createDeskCli(app);
  const id = `x${generateId()}`.slice(0, 22);
  await insertPlantedCase(app, { id });
  const name = nameCase(id);
  for (const spelling of [id, id.slice(0, 8), name, name.replace(' ', '-'), name.toUpperCase()])
    assert.match(await desk.runForText('cases', 'show', spelling), new RegExp(`^Case +${id}\n`), spelling);
  const other = `${id.slice(0, 5)}${generateId()}`.slice(0, 22);
  await insertPlantedCase(app, { id: other });
  const refusal = await desk.runRefused(1, 'cases', 'take', name);
  assert.match(refusal, /^Several cases have this name, so nothing was done: /);
  for (const each of [id, other]) assert.ok(refusal.includes(`${each} (${name})`));
  assert.match(
    await desk.runRefused(1, 'cases', 'take', id.slice(0, 4)),
    /^Several cases have an id that begins with this/,
  );
  assert.match(await desk.runRefused(1, 'cases', 'show', 'zzzzzzzz'), /There is no such case/);
  for (const short of ['abc', 'a b', '%%%%', '____*', 'x'.repeat(23)])
    assert.match(
      await desk.runRefused(64, 'cases', 'show', short),
      /^ID must be a case id, at least its first 4 characters/,
    );
});
