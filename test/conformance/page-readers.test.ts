/** Third-party checks read the site as agents do: its index, its Markdown and its pages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { installTools } from '#test/flows/third-party-tools.ts';
import { startTestShop } from '#test/test-shop.ts';

const RUN_MS = 240_000;
const MAX_REPORT_BYTES = 16 * 1024 ** 2;
/** A request fails if the server closed its connection while the tool was busy; then the failed checks run alone. */
const TRIES = 3;

const { origin, dataDir } = await startTestShop({ after });

interface Finding {
  readonly id: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'skip' | 'error';
  readonly message: string;
}

test('a check of sites for agents finds no failure', async (t) => {
  let failed = await checkSite();
  assert.ok(failed.length > 20);
  for (let tries = 0; tries < TRIES && failed.length > 0; tries += 1) {
    const findings = tries === 0 ? failed : await checkSite(failed.map(({ id }) => id));
    for (const { id, status, message } of findings) t.diagnostic(`${status} ${id}: ${message}`);
    failed = findings.filter(({ status }) => status === 'fail' || status === 'error');
  }
  assert.deepEqual(failed, []);
});

/** The tool exits with 1 if a check failed, and prints its report in any case. */
async function checkSite(checks: readonly string[] = []): Promise<readonly Finding[]> {
  const program = join(await installTools(), 'afdocs', 'bin', 'afdocs.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      program,
      'check',
      origin,
      '--format',
      'json',
      '--quiet',
      '--sampling',
      'deterministic',
      ...(checks.length > 0 ? ['--checks', checks.join()] : []),
    ],
    {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(dataDir, 'tls', 'localhost.crt') },
      maxBuffer: MAX_REPORT_BYTES,
      timeout: RUN_MS,
    },
  ).catch((error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const { results } = JSON.parse(stdout) as { readonly results: readonly Finding[] };
  return results;
}
