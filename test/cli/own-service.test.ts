/** Without an office and a key, commands use the service of this machine; if none runs, they say what to pass. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { findFreePorts } from '#test/ports.ts';
import { buildTestApp } from '#test/test-app.ts';
import { runCli, toOwnServiceEnv } from './desk-cli.ts';

const app = await buildTestApp({ after });
const env = toOwnServiceEnv(app);
const list = ['cases', 'list'];

test('the service of this machine is used with its certificate and its desk key', async () => {
  const { id } = await insertPlantedCase(app);
  const { code, stdout, stderr } = await runCli(env, list);
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`^${id} `, 'm'));
});

test('whatever its public name, it is reached where it listens; behind a proxy, at its public name', async () => {
  const renamed = { ...env, SITE_URL: 'https://office.invalid' };
  const other = await runCli(renamed, list);
  assert.equal(other.code, EXIT_CODES.dataError);
  assert.match(
    other.stderr,
    /^This server could not be verified as your office: its certificate is for another name/,
  );
  const proxied = await runCli({ ...renamed, TLS: 'proxy', TRUSTED_PROXIES: '127.0.0.1' }, list);
  assert.equal(proxied.code, EXIT_CODES.unavailable);
  assert.match(proxied.stderr, /^The service of this machine \(https:\/\/office\.invalid\) is not running/);
});

test('a service that does not run, was never started, or has no key here is told in one line', async (t) => {
  const [port] = await findFreePorts(1);
  const empty = await createTemporaryFolder(t);
  await runCli({}, ['keys', 'new', '--out', empty]);
  const refusals: [code: number, line: RegExp, env: Record<string, string>, args: string[]][] = [
    [
      EXIT_CODES.unavailable,
      /^The service of this machine \(https:\/\/localhost:\d+\) is not running: start it, or use --office ADDRESS for another one\.\n$/,
      { ...env, PORT: String(port) },
      list,
    ],
    [
      EXIT_CODES.usage,
      /^There is no \S+\/keys\/desk\.key: add --key FILE with .* and, unless [^\n]*, --office ADDRESS\n$/,
      { DATA_DIR: empty },
      list,
    ],
    [
      EXIT_CODES.usage,
      /^There is no \S+localhost\.crt, so no service has been started here yet: add --office ADDRESS, or check DATA_DIR\n$/,
      { DATA_DIR: join(empty, 'mistyped') },
      [...list, '--key', join(empty, 'desk.key')],
    ],
  ];
  for (const [exitCode, line, variables, args] of refusals) {
    const { code, stdout, stderr } = await runCli(variables, args);
    assert.deepEqual([code, stdout], [exitCode, ''], stderr);
    assert.match(stderr, line);
  }
});

test('a machine that DESK_NETWORKS leaves out is told so', async (t) => {
  const closed = await buildTestApp(t, { env: { DESK_NETWORKS: 'off' } });
  const { code, stderr } = await runCli(toOwnServiceEnv(closed), list);
  assert.equal(code, EXIT_CODES.noPermission);
  assert.match(stderr, /^The service does not accept this machine as a desk: add .* to DESK_NETWORKS/);
});
