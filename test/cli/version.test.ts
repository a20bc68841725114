/** The command line prints its version without a data folder. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { runCli } from './desk-cli.ts';

test('--version prints the version of package.json and nothing else', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  assert.deepEqual(await runCli({}, ['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('a slip in a command is answered with the command that was meant, and a removed one with what replaces it', async () => {
  for (const [words, meant] of [
    [['hlep'], /^Unknown command: hlep\. Did you mean help\? /],
    [['backpu', '--dir', 'x'], /^Unknown command: backpu\. Did you mean backup\? /],
    [['cases', 'lst'], /^Unknown command: cases lst\. Did you mean cases list\? /],
    [['case', 'list', 'now'], /^Unknown command: case\. Did you mean cases list\? /],
    [['keys', 'mastr', 'change'], /keys mastr\. Did you mean keys master change\? /],
    [['\u001b[31m', 'x'], /^Unknown command: �\[31m\. office help lists the commands\n$/],
    [['x'.repeat(90_000)], /^Unknown command: x{40}\. office help/],
    [['cases', 'call', 'ID', 'offer'], /^cases call was removed: do this at the desk \(npm run desk\)\n$/],
    [['orders', 'held', '--help'], /^orders held was removed: use office orders list --held\n$/],
    [['constructor'], /^Unknown command: constructor\. office help/],
  ] as const) {
    const { code, stderr } = await runCli({}, words);
    assert.deepEqual([code, meant.test(stderr)], [64, true], stderr);
  }
});

test('the overview is a page, and each group and command has its own', async () => {
  const { stdout } = await runCli({}, ['help']);
  assert.ok(stdout.trimEnd().split('\n').length <= 25, stdout);
  assert.match(stdout, /serve.*\n.*desk.*\n.*cases list, due, next,/);
  assert.match(stdout, /\n {2}The installation +.*backup, restore, doctor, clock accept\n/);
  for (const words of [['help', 'outbox'], ['outbox'], ['outbox', '--help']])
    assert.match((await runCli({}, words)).stdout, /COMMAND\n\n {2}outbox list .*\n {6}/);
  assert.match((await runCli({}, ['help', 'keys', 'protect'])).stdout, /^Usage: office keys protect/);
  const unknown = await runCli({}, ['help', 'outbx']);
  assert.deepEqual([unknown.code, /Did you mean outbox\?/.test(unknown.stderr)], [64, true], unknown.stderr);
});
