/** A fault of the desk itself: the report says where it happened, and nothing about the work. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import test from 'node:test';

const CANARY = 'the neighbour who writes at night';
const FAULTS = [
  `setImmediate(() => { throw new TypeError(${JSON.stringify(CANARY)}); });`,
  `Promise.reject(new Error(${JSON.stringify(CANARY)}));`,
  `Promise.reject(${JSON.stringify(CANARY)});`,
  `setImmediate(() => { throw { text: ${JSON.stringify(CANARY)} }; });`,
];

test('nothing of a case is printed when the desk ends by a fault of its own', async () => {
  for (const fault of FAULTS) {
    const program = `import { exitOnCrash } from './desk/terminal.ts';\nexitOnCrash();\n${fault}\nsetTimeout(() => {}, 60_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said, printed, [code]] = await Promise.all([
      text(child.stderr),
      text(child.stdout),
      once(child, 'close'),
    ]);
    assert.equal(code, 70, said);
    assert.match(said, /^The desk ends: unexpected \w+.*\n$/);
    assert.doesNotMatch(`${said}${printed}`, /neighbour/);
  }
});
