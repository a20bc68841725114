/** Other people's checks read the site as agents do: its index, its Markdown and its pages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { installTools } from '#test/flows/third-party-tools.ts';
import { scale } from '#test/scale.ts';
import { startTestShop } from '#test/test-shop.ts';

/** What a tool of an agent reads of a page before it cuts it off. */
const MAX_CHARACTERS = 100_000;
const RUN_MS = 240_000;
const MAX_REPORT_BYTES = 16 * 1024 ** 2;
/** A connection that the server has just closed fails one request in hundreds. */
const TRIES = 3;

const { get, origin, dataDir } = await startTestShop({ after });

test('each document that the index leads to is read whole', async () => {
  const { text } = await get('/llms.txt');
  const linked = [...text.matchAll(/\]\((\S+)\)/g)].map(([, address = '']) => address.slice(origin.length));
  assert.ok(linked.length > 10);
  for (const path of linked) assert.ok((await get(path)).text.length < MAX_CHARACTERS, path);
});

interface Finding {
  readonly id: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'skip' | 'error';
  readonly message: string;
}

if (scale.hasGenerators)
  test('a check of sites for agents finds no failure', async (t) => {
    const failures: string[] = [];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const findings = await checkSite();
      for (const { id, status, message } of findings) t.diagnostic(`${status} ${id}: ${message}`);
      assert.ok(findings.length > 20);
      const failed = findings.filter(({ status }) => status === 'fail' || status === 'error');
      if (failed.length === 0) return;
      failures.push(JSON.stringify(failed));
    }
    assert.fail(failures.join('\n'));
  });

/** It ends with 1 if something failed, and prints its report in any case. */
async function checkSite(): Promise<readonly Finding[]> {
  const program = join(await installTools(), 'afdocs', 'bin', 'afdocs.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, 'check', origin, '--format', 'json', '--quiet', '--sampling', 'deterministic'],
    {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(dataDir, 'tls', 'localhost.crt') },
      maxBuffer: MAX_REPORT_BYTES,
      timeout: RUN_MS,
    },
  ).catch((error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const { results } = JSON.parse(stdout) as { readonly results: readonly Finding[] };
  return results;
}
