/** The sealing thread: the same steps with the same results, while the service continues to respond. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { fastify } from 'fastify';
import { createSealingThread } from '#cases/sealing-thread/sealing-thread.ts';
import { sealingSteps } from '#cases/sealing-thread/steps.ts';
import type { App } from '#platform/http/app-type.ts';
import { workLimits } from '#platform/http/limits/limits.ts';
import { addLoopTime, createLoopShares } from '#platform/http/limits/loop-time.ts';
import { openLog } from '#platform/log.ts';
import { generateWords } from '#seal/core/words.ts';
import { isLongRun } from '#test/scale.ts';

const lines: string[] = [];
const thread = createSealingThread({ log: openLog({ write: (line) => void lines.push(line) }) });
after(() => thread.close());
const { steps } = thread;
const keys = await sealingSteps.deriveWordKeys(generateWords());
const key = await sealingSteps.generateCaseKey(keys);
const place = { kind: 'inquiry-file.v1', seq: 0 } as const;
const MIB = 1024 * 1024;
/** Many times what may be read ahead, or the maximum length of a file. */
const LONG_FILE = (isLongRun ? 25 : 8) * MIB;

function createFile(content: ReadableStream<Uint8Array>) {
  return { name: 'a.bin', mime: 'application/octet-stream', maxBytes: 25 * MIB, content };
}

test('the thread derives and opens what this one does', async () => {
  const words = generateWords();
  assert.deepEqual(await steps.deriveWordKeys(words), await sealingSteps.deriveWordKeys(words));
  const sealed = await steps.sealCaseKey(key, { desk: [keys.recipient], recovery: keys.recipient });
  assert.deepEqual(await sealingSteps.openCaseKey(sealed, keys.identity, keys.lookupHash), key);
});

test('while the thread seals, this one goes on', async () => {
  const holders = { desk: [keys.recipient], recovery: keys.recipient };
  let turns = 0;
  let sealing = true;
  const countTurn = () => {
    turns += 1;
    if (sealing) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  for (let count = 0; count < 5; count += 1) await steps.sealCaseKey(key, holders);
  sealing = false;
  assert.ok(turns > 200, `only ${turns} turns while five keys were sealed`);
});

test('an error keeps its code and its sentence, and quotes nothing', async () => {
  await assert.rejects(steps.deriveWordKeys('zebra zebra'), {
    name: 'SealError',
    code: 'words_count',
    message: /You entered 2 words/,
  });
  const sealed = await steps.sealContactMessage({ topic: 'question', message: 'x', reply_to: '' }, [
    keys.recipient,
  ]);
  await assert.rejects(steps.openCaseKey(sealed, key.identity, keys.lookupHash), { code: 'wrong_key' });
});

test('a long file streams through in both directions, a chunk at a time', async () => {
  let read = 0;
  let written = 0;
  let ahead = 0;
  const content = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (read === LONG_FILE) return controller.close();
        read += 64 * 1024;
        ahead = Math.max(ahead, read - written);
        controller.enqueue(new Uint8Array(64 * 1024).fill(7));
      },
    },
    { highWaterMark: 0 },
  );
  const sealed = await steps.sealFile(key, place, createFile(content));
  const opened = await steps.openSealedFile(key, place, sealed);
  assert.deepEqual([opened.name, opened.mime], ['a.bin', 'application/octet-stream']);
  for await (const chunk of opened.content) {
    assert.ok(Buffer.from(chunk).equals(Buffer.alloc(chunk.length, 7)));
    written += chunk.length;
  }
  assert.equal(written, LONG_FILE);
  assert.ok(ahead < 2 * MIB, `${ahead} bytes were read ahead`);
});

test('the error of a file that breaks off comes back as it was', async () => {
  const fault = new Error('the connection was lost');
  const content = ReadableStream.from(
    (async function* streamThenFail() {
      yield new Uint8Array(100_000);
      throw fault;
    })(),
  );
  const sealed = await steps.sealFile(key, place, createFile(content));
  await assert.rejects(Array.fromAsync(sealed), (error) => error === fault);
});

test('a file that is too large or damaged gives the error that people are told', async () => {
  const tooLong = { ...createFile(ReadableStream.from([new Uint8Array(2_000)])), maxBytes: 1_000 };
  await assert.rejects(Array.fromAsync(await steps.sealFile(key, place, tooLong)), { code: 'too_large' });
  const whole = Buffer.concat(
    await Array.fromAsync(
      await steps.sealFile(key, place, createFile(ReadableStream.from([new Uint8Array(9)]))),
    ),
  );
  const cut = ReadableStream.from([whole.subarray(0, -5)]);
  await assert.rejects(
    async () => await Array.fromAsync((await steps.openSealedFile(key, place, cut)).content),
    { code: 'truncated' },
  );
});

test('a reader that goes away ends the file at its source', async () => {
  const ended = Promise.withResolvers<unknown>();
  const content = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    cancel: (reason) => ended.resolve(reason),
  });
  const sealed = await steps.sealFile(key, place, createFile(content));
  const reader = sealed.getReader();
  await reader.read();
  await reader.cancel();
  await ended.promise;
});

test('a thread that ends meanwhile breaks the file off with an error that says so', async () => {
  const other = createSealingThread({ log: openLog({ write: () => undefined }) });
  const content = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
  });
  const reader = (await other.steps.sealFile(key, place, createFile(content))).getReader();
  await reader.read();
  const reading = (async () => {
    for (;;) await reader.read();
  })();
  const broken = assert.rejects(reading, { code: 'sealing_unavailable' });
  await other.close();
  await broken;
});

test('the time of the thread is charged to whom it worked for', async (t) => {
  const shares = createLoopShares(() => 0);
  const app = fastify() as unknown as App;
  t.after(() => app.close());
  app.decorateRequest('addressHash', 'caller');
  app.decorateRequest('account', null);
  addLoopTime(app, shares);
  const holders = { desk: [keys.recipient], recovery: keys.recipient };
  app.get('/', async () => {
    for (let count = 0; count < 10; count += 1) await steps.sealCaseKey(key, holders);
    return {};
  });
  await app.inject('/');
  const ms = shares.read('caller') * workLimits.windowSeconds * 1_000;
  assert.ok(ms > 50, `${ms} ms for what takes some hundred`);
});

test('nothing was logged', () => {
  assert.deepEqual(lines, []);
});
