/** The command `office-agent` against the real service, from the site's address to the finding, at once or in steps. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';
import { PATIENCE_MS } from '#test/patience.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';
import { TEST_MASTER_KEY } from '#test/store/engines.ts';
import { startTestShop } from '#test/test-shop.ts';

interface Agent {
  readonly output: () => string;
  /** Waits until the output matches; returns the first group. */
  readonly waitForOutput: (pattern: RegExp) => Promise<string>;
  readonly ended: Promise<number | null>;
}

const env = { MASTER_KEY: TEST_MASTER_KEY };
const shop = await startTestShop({ after }, { env });
const { dataDir, sandbox } = shop;
const { key, runForJson, runForText } = createDeskCli(shop, env);

const STATE = join(dataDir, 'agent.json');

function startAgent(t: CleanupScope, args: readonly string[]): Agent {
  const files = ['--ca', join(dataDir, 'tls', 'localhost.crt'), '--state', STATE];
  const child = spawn(process.execPath, ['examples/agent/main.ts', ...args, ...files, '--poll', '0.3'], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE },
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
  return { output: () => output, waitForOutput: waitForAgentOutput, ended };
}

/** Runs a step, which must succeed; returns its output. */
async function runStep(t: CleanupScope, ...args: readonly string[]): Promise<string> {
  const step = startAgent(t, args);
  assert.equal(await step.ended, 0, step.output());
  return step.output();
}

const fields = {
  alias: 'Robin',
  question: 'Is this recruiter who she says she is?',
  subject: 'A recruiter',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  lawful_purpose: true,
};

test('an agent that knows only the address gets from discovery to the finding', async (t) => {
  const [inquiry, letter, finding] = ['inquiry.json', 'letter.txt', 'finding.md'].map((name) =>
    join(dataDir, name),
  ) as [string, string, string];
  await writeFile(letter, 'Dear Robin. '.repeat(10_000));
  await writeFile(finding, '# She is who she says\n\nWe are sure.\n');
  const args = ['run', shop.origin, '--answer', 'She wrote on Monday.', '--inquiry', inquiry];

  const unsure = startAgent(t, args.slice(0, 2));
  assert.equal(await unsure.ended, 64);
  assert.match(
    unsure.output(),
    /^Name the inquiry: .* To send a sample, which uses the payment up: --yes\n$/,
  );

  await writeFile(inquiry, JSON.stringify({ ...fields, question: 'Who?', safety_risk: 'maybe' }));
  const PAYMENT_PAGE = /A person pays at \S+\/(cs_\w+)/;
  const late = startAgent(t, args);
  const rights = ['--scopes', 'case:read case:write', '--grants', 'client_credentials'];
  await runForText('agents', 'approve', await late.waitForOutput(/Registered as (\S+);/), ...rights);
  const unpaid = await late.waitForOutput(PAYMENT_PAGE);
  await sandbox.pay(unpaid, 'expire');
  assert.equal(await late.ended, 1);
  assert.match(late.output(), /The payment page expired before it was paid\. Run this again for a new one\./);

  const first = startAgent(t, args);
  const session = await first.waitForOutput(PAYMENT_PAGE);
  assert.notEqual(session, unpaid);
  await sandbox.pay(session);
  assert.equal(await first.ended, 1);
  assert.match(first.output(), /^\/question: missing, min 20$/m);
  assert.match(first.output(), /^\/safety_risk: one of none, /m);
  assert.equal((await stat(STATE)).mode & 0o077, 0);

  // The stored state is enough to continue after any step.
  await writeFile(inquiry, JSON.stringify(fields));
  const [, id = ''] =
    /Case (\S+) is open/.exec(await runStep(t, 'seal', ...args.slice(4), '--attach', letter)) ?? [];
  const { cases } = await runForJson<{ cases: Record<string, unknown>[] }>('cases', 'list');
  assert.deepEqual(
    cases.map((match) => [match['id'], match['sealed_by']]),
    [[id, 'agent']],
  );
  await runForText('cases', 'take', id);
  const out = join(dataDir, 'desk-out');
  assert.match(await runForText('cases', 'open', id, '--key', key, '--out', out), /Is this recruiter who/);
  const [saved = ''] = await readdir(out);
  assert.deepEqual(await readFile(join(out, saved)), await readFile(letter));
  await runForText('cases', 'ask', id, '--key', key, '--text', 'Where does she live?');
  assert.match(await runStep(t, 'follow'), /The desk asks: Where does she live\?\n.*answer --text/);
  await runStep(t, 'answer', '--text', 'In Paris.');

  const resumed = startAgent(t, args);
  await runForText('cases', 'ask', id, '--key', key, '--seen', '1', '--text', 'When did she write?');
  await resumed.waitForOutput(/We wrote: She wrote on Monday\./);
  await runForText('cases', 'deliver', id, '--key', key, '--finding', finding, '--attach', letter);
  assert.equal(await resumed.ended, 0, resumed.output());
  assert.match(resumed.output(), /The finding:\s+# She is who she says/);

  const folder = join(dataDir, 'agent-out');
  const [json = ''] = (await runStep(t, 'open', '--json', '--out', folder)).split('\nSaved ');
  const { messages } = JSON.parse(json) as { messages: { by: string; text: string; seen: number }[] };
  assert.deepEqual(
    messages.map(({ by, text, seen }) => [by, text, seen]),
    [
      ['desk', 'Where does she live?', 0],
      ['buyer', 'In Paris.', 1],
      ['desk', 'When did she write?', 1],
      ['buyer', 'She wrote on Monday.', 2],
    ],
  );
  assert.deepEqual(await readFile(join(folder, '1-letter.txt')), await readFile(letter));
  assert.doesNotMatch(shop.readLog(), /recruiter|Monday|who she says/);
});

test('npm runs it with the right Node wherever one stands', async () => {
  const run = promisify(execFile);
  const host = { PATH: listHostPath(), HOME: dataDir };
  const args = ['--prefix', process.cwd(), 'run', '-s', 'agent', '--', '--help'];
  const { stdout } = await run('npm', args, { cwd: dataDir, env: host });
  assert.match(stdout, /^Usage: npm run agent -- COMMAND/);
});

/** The PATH without the folders that npm adds to it for a script. */
function listHostPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}
