/** Why commands fail at an office over the network: one sentence, and the exit code of its kind. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { generateDeskKey } from '#test/desk-api/desk-client.ts';
import { findFreePorts } from '#test/ports.ts';
import { runCli } from './desk-cli.ts';
import { buildDistantOffice } from './distant-office.ts';

test('an office that is away, untrusted, closed or has another key says so', async (t) => {
  const office = await buildDistantOffice(t);
  const closed = await buildDistantOffice(t, { DESK_NETWORKS: 'off' });
  const [port] = await findFreePorts(1);
  const stranger = join(office.folder, 'stranger.key');
  await writeFile(stranger, `${(await generateDeskKey()).identity}\n`, { mode: 0o600 });
  const list = ['cases', 'list'];
  const own = ['--key', office.keyFiles.ana];
  const asked = [...list, ...office.trust, ...own];
  const { env } = office;
  const cases: [code: number, line: RegExp, env: Record<string, string>, args: readonly string[]][] = [
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
  ];
  for (const [code, line, variables, args] of cases) {
    const result = await runCli(variables, args);
    assert.deepEqual([result.code, result.stdout], [code, ''], `${args.join(' ')}: ${result.stderr}`);
    assert.match(result.stderr.trimEnd(), line);
  }
});
