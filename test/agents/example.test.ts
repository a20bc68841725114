/** The example agent as its own process against the real service: from the site's address to the finding. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { PATIENCE_MS } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { startServiceProcess } from '#test/service-process.ts';
import { startShopSandbox } from '#test/test-shop.ts';

interface Agent {
  readonly output: () => string;
  /** Waits until the output matches; returns the first group. */
  readonly waitForOutput: (pattern: RegExp) => Promise<string>;
  readonly ended: Promise<number | null>;
  readonly stop: () => Promise<void>;
}

function startAgent(t: CleanupScope, site: string, dataDir: string): Agent {
  const files = ['--ca', join(dataDir, 'tls', 'localhost.crt'), '--state', join(dataDir, 'agent.json')];
  const args = ['examples/agent.ts', site, ...files, '--poll', '0.3'];
  const child = spawn(process.execPath, [...args, '--answer', 'She wrote on Monday.'], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const stopAgent = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  t.after(stopAgent);
  const waitForAgentOutput: Agent['waitForOutput'] = async (pattern) => {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
      const match = pattern.exec(output);
      if (match) return match[1] ?? '';
      if (child.exitCode !== null) break;
    }
    throw new Error(`the agent never said ${pattern}:\n${output}`);
  };
  return { output: () => output, waitForOutput: waitForAgentOutput, ended, stop: stopAgent };
}

test('an agent that knows only the address gets from discovery to the finding', async (owner) => {
  const t = withReverseCleanup(owner);
  const [port = 0] = await findFreePorts(1);
  const dataDir = await createDataFolder(t);
  const sandbox = await startShopSandbox(t, port, dataDir);
  const service = await startServiceProcess(t, { PORT: String(port), DATA_DIR: dataDir, ...sandbox.env });
  const { key, runForJson, runForText } = createDeskCli(service);
  const agent = startAgent(t, service.origin, dataDir);

  const registration = await agent.waitForOutput(/Registered as (\S+);/);
  await runForText(
    'agents',
    'approve',
    registration,
    '--scopes',
    'case:read case:write',
    '--grants',
    'client_credentials',
  );
  const session = await agent.waitForOutput(/A person pays at \S+\/(cs_\w+)/);
  await sandbox.pay(session);
  const id = await agent.waitForOutput(/Case (\S+) is open/);

  // The state that it saves is enough to resume.
  await agent.stop();
  assert.equal((await stat(join(dataDir, 'agent.json'))).mode & 0o077, 0);
  const resumed = startAgent(t, service.origin, dataDir);

  const { cases } = await runForJson<{ cases: Record<string, unknown>[] }>('cases', 'list');
  assert.deepEqual(
    cases.map((match) => [match['id'], match['sealed_by']]),
    [[id, 'agent']],
  );
  await runForText('cases', 'take', id);
  assert.match(
    await runForText('cases', 'open', id, '--key', key),
    /Is this recruiter who she says she is\?/,
  );
  await runForText('cases', 'ask', id, '--key', key, '--text', 'When did she write?');
  await resumed.waitForOutput(/The desk wrote: When did she write\?/);
  await resumed.waitForOutput(/We wrote: She wrote on Monday\./);
  const { messages } = await runForJson<{ messages: Record<string, unknown>[] }>(
    'cases',
    'open',
    id,
    '--key',
    key,
  );
  assert.deepEqual(
    messages.map(({ by, text, link }) => [by, text, link]),
    [
      ['desk', 'When did she write?', 'linked'],
      ['buyer', 'She wrote on Monday.', 'linked'],
    ],
  );
  const finding = join(dataDir, 'finding.md');
  await writeFile(finding, '# She is who she says\n\nWe are sure.\n');
  await runForText('cases', 'deliver', id, '--key', key, '--finding', finding);
  await resumed.waitForOutput(/The finding:\s+# She is who she says/);
  assert.equal(await resumed.ended, 0, resumed.output());
  assert.doesNotMatch(service.readOutput(), /recruiter|Monday|who she says/);
});
