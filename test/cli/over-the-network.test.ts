/** Commands at an office of another machine, with no records and no configuration beside them. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { buildDeskApp } from '#test/desk/desk-client.ts';
import { insertPlantedCase } from '#test/desk/planted-case.ts';
import { runCli } from './desk-cli.ts';

test('a case is opened, asked about and delivered without a shell on the server', async (t) => {
  const office = await buildDeskApp(
    t,
    { ana: 'owner', ben: 'investigator' },
    { env: { DELIVERY_UNDO_MINUTES: '10' } },
  );
  const { id } = await insertPlantedCase(office);
  const folder = await createTemporaryFolder(t);
  const [key, other, finding] = ['ana.key', 'ben.key', 'finding.md'].map((name) => join(folder, name));
  await writeFile(key!, `${office.keys.ana.identity}\n`, { mode: 0o600 });
  await writeFile(other!, `${office.keys.ben.identity}\n`, { mode: 0o600 });
  await writeFile(finding!, '# It is her\n');
  const ca = join(office.dataDir, 'tls', 'localhost.crt');
  const reach = ['--office', `https://localhost:${office.port}`, '--ca', ca];
  // An empty folder: whatever the commands know of the case, they know from the office.
  const env = { DATA_DIR: join(folder, 'nothing') };
  const run = async (...args: string[]) => await runCli(env, [...args, '--key', key!, ...reach]);

  const opened = await run('cases', 'open', id, '--out', join(folder, 'files'));
  assert.equal(opened.code, 0, opened.stderr);
  assert.match(opened.stderr, /First opening of this case with your key: fingerprint \d{5}(?: \d{5}){3},/);
  assert.match(opened.stdout, /CANARY/);
  const asked = await run('cases', 'ask', id, '--text', 'Since when?');
  assert.equal(asked.code, 0, asked.stderr);
  const again = await run('cases', 'ask', id, '--text', 'Since when?');
  assert.match(again.stdout, /already the last message/);
  const held = await runCli(env, ['cases', 'message', id, '--text', 'Hello', '--key', other!, ...reach]);
  // Ben has not confirmed yet whose key it is.
  assert.equal(held.code, 1);
  assert.match(
    held.stderr,
    /^Key [\d ]+ has this case, so nothing was done\. To take it over: office cases/m,
  );
  const delivered = await run(
    'cases',
    'deliver',
    id,
    '--finding',
    finding!,
    '--attach',
    finding!,
    '--yes',
    '--json',
  );
  assert.equal(delivered.code, 0, delivered.stderr);
  const { case: after } = JSON.parse(delivered.stdout) as {
    case: { state: string; held_until: string | null };
  };
  assert.equal(after.state, 'delivered');
  assert.ok(after.held_until, 'the office says how long it can be taken back');
  const repeated = await run('cases', 'deliver', id, '--finding', finding!, '--attach', finding!, '--yes');
  assert.match(repeated.stdout, /already delivered/);

  const untrusted = await runCli(env, ['cases', 'open', id, '--key', key!, ...reach.slice(0, 2)]);
  assert.equal(untrusted.code, 65);
  assert.match(untrusted.stderr, /vouches for itself alone/);
  const missing = await run('cases', 'open', 'A'.repeat(22));
  assert.deepEqual([missing.code, missing.stderr], [1, 'There is no such case; it may have been purged.\n']);
  const usage = [
    ['--office', 'http://localhost'],
    [...reach, '--connect', 'nowhere'],
  ];
  for (const options of usage)
    assert.equal(
      (await runCli(env, ['cases', 'open', id, '--key', key!, ...options])).code,
      64,
      options.join(' '),
    );
});
