/** The protocol's own conformance suite, except for checks that need tools made for it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { withReverseCleanup } from '#test/cleanup.ts';
import { installTools } from '#test/flows/third-party-tools.ts';
import { findFreePorts } from '#test/ports.ts';
import { buildTestApp } from '#test/test-app.ts';
import { startPlainFront } from './plain-front.ts';

const SCENARIO_MS = 60_000;

/** The number of checks. Some of `server-stateless` need the suite's own tools, or subscriptions: neither exists. */
const scenarios: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '2026-07-28': {
    'tools-list': 4,
    'resources-list': 2,
    'prompts-list': 2,
    'sep-2164-resource-not-found': 4,
    'dns-rebinding-protection': 2,
    caching: 8,
    'http-header-validation': 14,
  },
  '2025-11-25': {
    'server-initialize': 2,
    ping: 2,
    'tools-list': 3,
    'resources-list': 2,
    'prompts-list': 2,
    'dns-rebinding-protection': 2,
  },
};

const scope = withReverseCleanup({ after });
const [port = 0] = await findFreePorts(1);
const service = await buildTestApp(scope, { env: { SITE_URL: `https://localhost:${port}` } });
const ca = await readFile(join(service.dataDir, 'tls', 'localhost.crt'), 'utf8');
await startPlainFront(scope, { port, servicePort: service.port, ca });

const program = join(await installTools(), '@modelcontextprotocol/conformance/dist/index.js');
const runSuite = async (...args: readonly string[]) =>
  (await promisify(execFile)(process.execPath, [program, ...args], { timeout: SCENARIO_MS })).stdout;
for (const [revision, checks] of Object.entries(scenarios))
  for (const [name, count] of Object.entries(checks))
    test(`conformance with revision ${revision}: ${name}`, async () => {
      const url = `http://localhost:${port}/mcp`;
      const said = await runSuite('server', '--url', url, '--scenario', name, '--spec-version', revision);
      assert.match(said, new RegExp(`Passed: ${count}/${count}, 0 failed`), said);
    });
