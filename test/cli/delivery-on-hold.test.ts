/** Delivering at the command line: it shows whose case it is, holds the finding, and can take it back. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { requireContent } from '#test/cases/stored-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, sendCase, toOwnServiceEnv } from './desk-cli.ts';

const cleanUp = withReverseCleanup({ after });
const folder = await createTemporaryFolder(cleanUp);
const env = { DELIVERY_UNDO_MINUTES: '10' };
const shop = await startTestShop(cleanUp, { env });
const desk = createDeskCli(shop);
const right = join(folder, 'right.md');
const wrong = join(folder, 'wrong.md');
await writeFile(right, 'The right finding');
await writeFile(wrong, 'The finding of another buyer');
const key = ['--key', desk.key];

test('a finding can be taken back while it is held, and delivered again', async () => {
  const sent = await sendCase(shop);
  const { id } = sent;
  const deliver = ['cases', 'deliver', id, ...key, '--finding', wrong, '--attach', wrong];
  assert.match(
    await desk.runForText(...deliver),
    new RegExp(
      `^Delivered\\. State of the case: delivered; will be purged on [\\d-]+\\.\nThe buyer cannot see it before [\\d-]+ [\\d:]+ UTC\\. To take it back before then: office cases take-back ${id}\n$`,
    ),
  );
  const heldCase = await desk.runForText('cases', 'show', id);
  assert.match(heldCase, /State +delivered, can be taken back until .* UTC\n/);
  assert.match(heldCase, /Delivered +the buyer can read it from .* UTC\n/);
  assert.equal(heldCase.match(/^finding (file )?1 +\d+ +held until .* UTC$/gm)?.length, 2);
  assert.match(await desk.runForText('cases', 'list'), new RegExp(`^${id} .* (9|10) min to undo `, 'm'));
  assert.doesNotMatch(await desk.runForText('cases', 'list', '--state', 'received'), new RegExp(id));
  const { case: shown } = await desk.runForJson<{ case: Record<string, string> }>('cases', 'show', id);
  assert.equal(shown['held_until'], shown['delivered_at']);
  assert.match(await desk.runForText(...deliver), /already delivered; nothing was changed/);
  const other = ['cases', 'deliver', id, ...key, '--finding', right, '--attach', right];
  assert.match(await desk.runRefused(1, ...other), /Take it back first/);
  assert.match(await desk.runRefused(1, 'cases', 'purge', id, '--yes'), /Take it back first/);

  assert.match(
    await desk.runForText('cases', 'take-back', id),
    /^Taken back and deleted\. State of the case: in progress; due in 48 hours\.\n$/,
  );
  assert.match(await desk.runRefused(1, 'cases', 'take-back', id), /no longer possible in the current state/);
  assert.match(
    await desk.runForText(...other, '--now'),
    /^Delivered\. State of the case: delivered; will be purged on [\d-]+\.\n$/,
  );
  assert.match(await desk.runRefused(1, 'cases', 'take-back', id), /no longer possible in the current state/);
  assert.doesNotMatch(await desk.runForText('cases', 'list'), new RegExp(id));
  assert.match(await desk.runForText(...other, '--now'), /already delivered/);
  const file = await readSealedCase(shop.services, await requireStoredCase(shop, sent));
  const { finding, findingSeq } = await openSealedCase(file, sent.keys.identity);
  assert.deepEqual([requireContent(finding).markdown, findingSeq], ['The right finding', 1]);
  const { saved } = await desk.runForJson<{ saved: string[] }>(
    'cases',
    'open',
    id,
    ...key,
    '--out',
    join(folder, 'saved'),
  );
  assert.equal(saved.length, 1);
});

test('the desk changes the retention only with a reason, and shortens it only if it says so', async () => {
  const { id } = await sendCase(shop);
  const retain = ['cases', 'retain', id];
  assert.match(
    await desk.runRefused(1, ...retain, '90', ...key),
    /A reason is required, so nothing was changed/,
  );
  const why = [...key, '--text', 'The court asks for longer.'];
  assert.match(await desk.runForText(...retain, '90', ...why), /^Kept for 90 days .* was told why\./);
  assert.match(await desk.runRefused(1, ...retain, '30', ...why), /kept for 90 days.*--shorten/);
  assert.match(await desk.runForText(...retain, '90', ...why), /already kept for 90 days; nothing was sent/);
  const shorten = [...key, '--text', 'We need less.', '--shorten'];
  assert.match(await desk.runForText(...retain, '30', ...shorten), /Kept for 30 days/);
});

test('on a terminal, deliver shows the question and asks; elsewhere it does not', async () => {
  const { id } = await sendCase(shop);
  const args = ['cases', 'deliver', id, ...key, '--finding', right];
  const refused = await runOnTerminal(args, 'no\n');
  assert.match(
    refused.output,
    / asked: .*recruiter.*\n?.*Is this finding for them\? Type deliver to continue:/s,
  );
  assert.match(refused.output, /Not confirmed, so nothing was delivered/);
  assert.equal(refused.code, 1);
  assert.match(await desk.runForText('cases', 'show', id), /State +received\n/);
  const asked = await runOnTerminal(args, 'deliver\n');
  assert.deepEqual([asked.code, /Delivered\./.test(asked.output)], [0, true], asked.output);
  await desk.runForText('cases', 'take-back', id);
  const told = await runOnTerminal([...args, '--yes'], '');
  assert.deepEqual([told.code, /Type deliver/.test(told.output)], [0, false], told.output);
});

/** Returns both output streams, as a person would see them. */
async function runOnTerminal(args: readonly string[], typed: string) {
  const line = [process.execPath, 'bin/office.js', ...args].map((arg) => `'${arg}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      SHELL: '/bin/sh',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...toOwnServiceEnv(shop),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  let answered = false;
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
    if (answered || !output.includes('Type deliver')) return;
    answered = true;
    child.stdin.write(typed);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output.replaceAll('\r\n', '\n') };
}
