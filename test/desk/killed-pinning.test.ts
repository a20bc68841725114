/** A command that is killed while it saves a pin leaves the old or the new file, and loses no pin that it saved. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPins } from '#desk/keys/pin-file.ts';
import { createDeskTagger } from '#seal/core/key-pin.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';

const identity = 'AGE-SECRET-KEY-PQ-1CMY058MXRP05DWE7D6MJE0D0QD3X47QGXKXXCYVJUJEZGGTJSYSQEJTZ22';
const ROUNDS = 3;

const script = `
  import { randomBytes } from 'node:crypto';
  import { createKeyPin } from '#seal/core/key-pin.ts';
  import { savePin } from '#desk/keys/pin-file.ts';
  const [path, identity] = process.argv.slice(1);
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    const lookup = randomBytes(32).toString('base64url');
    await savePin({ identity, path }, createKeyPin(id, { case: lookup, recipient: id }));
    process.stdout.write(id + '\\n');
  }`;

test('a killed command leaves a file of pins that is whole', async (t) => {
  const path = join(await createTemporaryFolder(t), 'desk.key.pins');
  let printed = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const args = ['--input-type=module-typescript', '-e', script, path, identity];
    const children = [0, 1].map(() =>
      spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    for (const child of children) child.stdout.on('data', (chunk) => (printed += String(chunk)));
    const closed = children.map((child) => once(child, 'close'));
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    await sleep(Math.random() * 50);
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(closed);
    const kept = new Set((await readPins({ identity, path })).map((pin) => pin.case));
    const tag = createDeskTagger(identity);
    const saved = printed.split('\n').slice(0, -1);
    for (const id of saved) assert.ok(kept.has(tag('case', id)), 'what was said to be pinned is pinned');
    assert.ok(kept.size <= saved.length + 2 * (round + 1), 'and at most one more for each that was killed');
  }
});
