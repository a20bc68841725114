/** An office whose answers are malformed: they are refused before anything reads them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerAt, assertFault, assertNothingTold, QUEUE } from './hostile-script.ts';
import { type ScriptedAnswer, startScriptedOffice } from './scripted-office.ts';
import { toCaseFile } from './sealed-fixture.ts';

test('answers that no honest office gives are refused before anything looks at them', async (t) => {
  const office = await startScriptedOffice(t);
  const counts = { open: 1, mine: 0, unanswered: 0, late: 0, unassigned: 1 };
  const now = new Date().toISOString();
  const queue = { cases: [toCaseFile(office.fixture).case], next: null, counts, now };
  const writeRaw = (head: Record<string, string>, body: string): ScriptedAnswer => ({
    raw: (response) => response.writeHead(200, head).end(body),
  });
  const json = { 'content-type': 'application/json' };
  const lies: readonly [name: string, answer: ScriptedAnswer, text: RegExp][] = [
    [
      'redirect',
      { raw: (response) => response.writeHead(302, { location: 'https://evil.example/' }).end() },
      /is a redirect, which the desk never follows/,
    ],
    [
      'another protocol',
      { raw: ({ socket }) => socket!.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n') },
      /a protocol other than HTTP/,
    ],
    ['HTML', writeRaw({ 'content-type': 'text/html' }, '<script>alert(1)</script>'), /not JSON/],
    ['JSON as text', writeRaw({ 'content-type': 'text/plain' }, JSON.stringify(queue)), /not JSON/],
    ['HTML called JSON', writeRaw(json, '<p>'), /not valid JSON/],
    ['an extra field', { json: { ...queue, html: '<b>' } }, /format that this version/],
    [
      'an extra field inside',
      { json: { ...queue, counts: { ...counts, more: 1 } } },
      /format that this version/,
    ],
    ['a wrong type', { json: { ...queue, counts: { ...counts, open: '1' } } }, /format that this version/],
    [
      'a word that drives a terminal',
      { json: { ...queue, cases: [{ ...toCaseFile(office.fixture).case, state: 'new \u001b[2J' }] } },
      /format that this version/,
    ],
    ['a missing field', { json: { ...queue, now: undefined } }, /format that this version/],
    ['a leap second', { json: { ...queue, now: '2016-12-31T23:59:60Z' } }, /format that this version/],
    ['a time that is none', { json: { ...queue, now: 'soon' } }, /format that this version/],
    ['a name twice', writeRaw(json, `{"next":null,${JSON.stringify(queue).slice(1)}`), /not valid JSON/],
    ['a reserved name', writeRaw(json, '{"__proto__":{"cases":[]}}'), /not valid JSON/],
    ['deep nesting', writeRaw(json, `${'['.repeat(5000)}${']'.repeat(5000)}`), /not valid JSON/],
    ['nothing', writeRaw(json, ''), /not valid JSON/],
    [
      'bytes that are no text',
      { raw: (response) => response.writeHead(200, json).end(Buffer.from([0xff, 0xfe])) },
      /not valid JSON/,
    ],
    ['an encoding', { json: queue, headers: { 'content-encoding': 'gzip' } }, /content encoding/],
    ['a length beyond the cap', { json: queue, headers: { 'content-length': '2000000' } }, /too long/],
  ];
  const desk = await office.connect();
  await desk.signIn();
  assert.equal((await desk.readQueue()).cases.length, 1);
  for (const [name, answer, text] of lies)
    await t.test(name, async () => {
      office.script = answerAt(QUEUE, () => answer);
      await assertFault(desk.readQueue(), 'hostile', text);
    });
  assertNothingTold(office);
});

test('an office that is overloaded for a moment is asked again', async (t) => {
  const office = await startScriptedOffice(t);
  const desk = await office.connect();
  let refusals = 2;
  office.script = answerAt(QUEUE, () => {
    refusals -= 1;
    return refusals < 0 ? null : { status: 503, json: { code: 'overloaded' } };
  });
  assert.equal((await desk.readQueue()).cases.length, 1);
  assert.equal(refusals, -1);
});

test('an endless answer is cut at the cap, and a slow one at its time', async (t) => {
  const office = await startScriptedOffice(t);
  let written = 0;
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  office.script = answerAt(QUEUE, () => ({
    raw: async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let sent = 0; sent < 1024 && !response.destroyed; sent += 1) {
        written += chunk.length;
        if (!response.write(chunk))
          await Promise.race([new Promise((done) => response.once('drain', done)), sleep(50)]);
      }
      response.destroy();
    },
  }));
  const desk = await office.connect();
  const before = process.memoryUsage().rss;
  await assertFault(desk.readQueue(), 'hostile', /too long/);
  assert.ok(written < 64 * chunk.length, `${written} bytes of 1 GiB were written`);
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);

  office.script = answerAt(QUEUE, () => ({
    raw: async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      while (!response.destroyed) {
        response.write(' ');
        await sleep(20);
      }
    },
  }));
  const hurried = await office.connect({ answerMs: 600 });
  await assertFault(hurried.readQueue(), 'unreachable', /too long to answer/);
});
