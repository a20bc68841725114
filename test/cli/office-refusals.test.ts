/** Why commands fail at an office, elsewhere or on this machine: one sentence, and the exit code of its kind. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { generateDeskKey } from '#test/desk-api/desk-client.ts';
import { findFreePorts } from '#test/ports.ts';
import { buildTestApp } from '#test/test-app.ts';
import { runCli, toOwnServiceEnv } from './desk-cli.ts';
import { buildDistantOffice } from './distant-office.ts';

const list = ['cases', 'list'];

type Refusal = [code: number, line: RegExp, env: Readonly<Record<string, string>>, args: readonly string[]];

async function assertRefused(refusals: readonly Refusal[]): Promise<void> {
  for (const [code, line, env, args] of refusals) {
    const result = await runCli(env, args);
    assert.deepEqual([result.code, result.stdout], [code, ''], `${args.join(' ')}: ${result.stderr}`);
    assert.match(result.stderr, /^[^\n]+\n$/);
    assert.match(result.stderr.trimEnd(), line);
  }
}

test('an office that is away, untrusted, closed or has another key says so', async (t) => {
  const office = await buildDistantOffice(t);
  const closed = await buildDistantOffice(t, { DESK_NETWORKS: 'off' });
  const [port] = await findFreePorts(1);
  const stranger = join(office.folder, 'stranger.key');
  await writeFile(stranger, `${(await generateDeskKey()).identity}\n`, { mode: 0o600 });
  const own = ['--key', office.keyFiles.ana];
  const asked = [...list, ...office.trust, ...own];
  const { env } = office;
  await assertRefused([
    [
      EXIT_CODES.unavailable,
      /^The office cannot be reached \(ECONNREFUSED\)\. Nothing was sent\.$/,
      env,
      [...asked, '--office', `https://localhost:${port}`],
    ],
    [
      EXIT_CODES.dataError,
      /^This server could not be verified as your office: its certificate is self-signed/,
      env,
      [...list, ...own, '--office', `https://localhost:${office.port}`],
    ],
    [
      EXIT_CODES.noPermission,
      /^The office does not know your key\./,
      env,
      [...list, ...office.trust, '--key', stranger],
    ],
    [
      EXIT_CODES.noPermission,
      /^The office refused this machine: DESK_NETWORKS does not contain its address/,
      closed.env,
      [...list, ...closed.trust, '--key', closed.keyFiles.ana],
    ],
    [EXIT_CODES.usage, /^--key FILE is missing/, env, [...list, ...office.trust]],
    [
      EXIT_CODES.config,
      /OFFICE_URL: no longer a variable; use the option --office/,
      { OFFICE_URL: 'x' },
      list,
    ],
    [EXIT_CODES.usage, /^--connect must be HOST:PORT/, env, [...asked, '--connect', 'nowhere']],
    [EXIT_CODES.usage, /^--office takes an address/, env, [...asked, '--office', 'http://localhost']],
    [EXIT_CODES.usage, /^--pin and --ca cannot be combined$/, env, [...asked, '--pin', 'x']],
    [EXIT_CODES.noInput, /nowhere\.key: .*no such file/i, env, [...asked, '--key', '/nowhere.key']],
  ]);
});

test('the service of this machine that is away, behind a proxy, closed, was never started, or has no key here says so', async (t) => {
  const env = toOwnServiceEnv(await buildTestApp(t));
  const closed = toOwnServiceEnv(await buildTestApp(t, { env: { DESK_NETWORKS: 'off' } }));
  const [port] = await findFreePorts(1);
  const empty = await createTemporaryFolder(t);
  await runCli({}, ['keys', 'new', '--out', empty]);
  const renamed = { ...env, SITE_URL: 'https://office.invalid' };
  await assertRefused([
    [
      EXIT_CODES.dataError,
      /^This server could not be verified as your office: its certificate is for another name/,
      renamed,
      list,
    ],
    [
      EXIT_CODES.unavailable,
      /^The service of this machine \(https:\/\/office\.invalid\) is not running/,
      { ...renamed, TLS: 'proxy', TRUSTED_PROXIES: '127.0.0.1' },
      list,
    ],
    [
      EXIT_CODES.unavailable,
      /^The service of this machine \(https:\/\/localhost:\d+\) is not running: start it, or use --office ADDRESS for another one\.$/,
      { ...env, PORT: String(port) },
      list,
    ],
    [
      EXIT_CODES.usage,
      /^There is no \S+\/keys\/desk\.key: add --key FILE with .* and, unless [^\n]*, --office ADDRESS$/,
      { DATA_DIR: empty },
      list,
    ],
    [
      EXIT_CODES.usage,
      /^There is no \S+localhost\.crt, so no service has been started here yet: add --office ADDRESS, or check DATA_DIR$/,
      { DATA_DIR: join(empty, 'mistyped') },
      [...list, '--key', join(empty, 'desk.key')],
    ],
    [
      EXIT_CODES.noPermission,
      /^The service does not accept this machine as a desk: add .* to DESK_NETWORKS/,
      closed,
      list,
    ],
  ]);
});
