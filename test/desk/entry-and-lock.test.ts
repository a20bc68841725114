/** Who may enter the desk, what a locked desk still shows, and which headers an answer has. */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IDLE_MINUTES } from '#desk/loopback/desk-lock.ts';
import { ENTRY_SECONDS } from '#desk/loopback/entry.ts';
import type { DeskRequest } from '#desk/loopback/page-route.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import {
  type LoopbackDesk,
  listPostLines,
  OWN_VISIT,
  PASSPHRASE,
  SECRET_TEXT,
  startLoopbackDesk,
} from './loopback-desk.ts';

const fromFile = OWN_VISIT.map((line) => line.replace('same-origin', 'cross-site'));
const typed = OWN_VISIT.map((line) => line.replace('same-origin', 'none'));

async function enterBy(
  desk: LoopbackDesk,
  secret: string,
  lines: readonly string[] = typed,
): Promise<string> {
  return await desk.send([`GET /enter/${secret} HTTP/1.1`, ...lines]);
}

function readCookie(answer: string): string {
  return /^set-cookie: ([^;]+)/im.exec(answer)?.[1] ?? '';
}

test('a secret enters once, from a file or by its address, and the page moves on by itself', async (t) => {
  const desk = await startLoopbackDesk(t);
  for (const lines of [fromFile, typed]) {
    const secret = desk.entry.makeSecret();
    const answer = await enterBy(desk, secret, lines);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /^set-cookie: desk-[0-9a-f]{16}=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/\r$/im);
    assert.match(answer, /^refresh: 0; url=\/\r$/im);
    assert.match(await desk.visit('/queue', readCookie(answer)), new RegExp(SECRET_TEXT));
    const again = await enterBy(desk, secret, lines);
    assert.match(again, /^HTTP\/1\.1 403 /);
    assert.equal(readCookie(again), '');
  }
});

test('who sends a form from a window that another one has ended reads that nothing was sent', async (t) => {
  const desk = await startLoopbackDesk(t);
  const first = readCookie(await enterBy(desk, desk.entry.makeSecret()));
  await enterBy(desk, desk.entry.makeSecret());
  const answer = await desk.post('/act', first, { text: 'typed for an hour' });
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.match(answer, /Nothing was sent or saved/);
  assert.doesNotMatch(await desk.visit('/queue', first), /Nothing was sent/);
});

test('a wrong, an old and a replaced secret do not enter, and a wrong one uses up nothing', async (t) => {
  const desk = await startLoopbackDesk(t);
  const first = desk.entry.makeSecret();
  const second = desk.entry.makeSecret();
  for (const secret of ['', 'a', first, `${second}x`, second.toLowerCase()])
    assert.match(await enterBy(desk, secret), /^HTTP\/1\.1 403 /);
  assert.match(await enterBy(desk, second), /^HTTP\/1\.1 200 /);
  const third = desk.entry.makeSecret();
  desk.clock.ahead += ENTRY_SECONDS * 1000;
  assert.match(await enterBy(desk, third), /^HTTP\/1\.1 403 /);
});

test('the entry takes no form, no frame, and nothing fetched ahead of time', async (t) => {
  const desk = await startLoopbackDesk(t);
  const secret = desk.entry.makeSecret();
  const framed = fromFile.map((line) => line.replace('document', 'iframe'));
  assert.match(await enterBy(desk, secret, framed), /^HTTP\/1\.1 403 /);
  assert.match(
    await enterBy(desk, secret, [...typed, 'Sec-Purpose: prefetch;prerender']),
    /^HTTP\/1\.1 403 /,
  );
  assert.match(
    await desk.send([`POST /enter/${secret} HTTP/1.1`, ...fromFile, 'Origin: null']),
    /^HTTP\/1\.1 403 /,
  );
  assert.match(await enterBy(desk, secret, fromFile), /^HTTP\/1\.1 200 /);
});

test('a second entry ends the first', async (t) => {
  const desk = await startLoopbackDesk(t);
  const first = desk.enter();
  assert.match(await desk.visit('/queue', first.cookie), /^HTTP\/1\.1 200 /);
  const second = desk.enter();
  assert.match(await desk.visit('/queue', first.cookie), /^HTTP\/1\.1 403 /);
  assert.match(await desk.visit('/queue', second.cookie), /^HTTP\/1\.1 200 /);
  assert.match(await desk.post('/acts', second.cookie, { token: first.formToken }), /^HTTP\/1\.1 403 /);
  assert.equal(desk.posted.length, 0);
  assert.match(
    await desk.post('/acts', second.cookie, { token: second.formToken, act: 'take' }),
    /^HTTP\/1\.1 303 /,
  );
  assert.deepEqual([...desk.posted[0]!.entries()], [['act', 'take']]);
});

test('a locked desk shows the unlock page and nothing else, and what was under way ends', async (t) => {
  let seen: AbortSignal | undefined;
  const isLocked = Promise.withResolvers<void>();
  const slow = {
    method: 'GET',
    path: '/slow',
    answer: async ({ signal }: DeskRequest) => {
      seen = signal;
      desk.lock.lock('signal');
      await isLocked.promise;
      return { redirect: '/queue' };
    },
  } as const;
  const desk = await startLoopbackDesk(t, { routes: [slow] });
  const { cookie, formToken } = desk.enter();
  const pending = desk.visit('/slow', cookie);
  isLocked.resolve();
  assert.match(await pending, /location: \/unlock/);
  assert.equal(seen?.aborted, true);
  assert.match(await desk.visit('/queue', cookie), /^HTTP\/1\.1 303 [\s\S]*location: \/unlock/);
  const page = await desk.visit('/unlock', cookie);
  assert.match(page, /The desk received a signal to lock/);
  assert.doesNotMatch(page, new RegExp(SECRET_TEXT));
  assert.match(await desk.post('/acts', cookie, { token: formToken }), /^HTTP\/1\.1 303 /);
  assert.equal(desk.posted.length, 0);
});

test('the right passphrase unlocks after a new entry, with a new cookie; those before are worth nothing', async (t) => {
  const desk = await startLoopbackDesk(t);
  const { cookie, formToken } = desk.enter();
  assert.match(await desk.post('/lock', cookie, { token: formToken }), /location: \/unlock/);
  const old = await desk.post('/unlock', cookie, { token: formToken, passphrase: PASSPHRASE });
  assert.match(old, /location: \/unlock/);
  assert.doesNotMatch(await desk.visit('/unlock', cookie), /name="passphrase"/);
  const fresh = desk.enter();
  const unlock = (passphrase: string) =>
    desk.post('/unlock', fresh.cookie, { token: fresh.formToken, passphrase });
  const wrong = await unlock('six quiet boats');
  assert.match(wrong, /^HTTP\/1\.1 422 [\s\S]*This passphrase does not open the key/);
  assert.doesNotMatch(wrong, /six.quiet/);
  const right = await unlock(PASSPHRASE);
  assert.match(right, /^HTTP\/1\.1 200 /);
  for (const before of [cookie, fresh.cookie])
    assert.match(await desk.visit('/queue', before), /^HTTP\/1\.1 403 /);
  assert.match(await desk.visit('/queue', readCookie(right)), new RegExp(SECRET_TEXT));
});

test('a form that was begun before the lock is worth nothing after it, however late it comes', async (t) => {
  const desk = await startLoopbackDesk(t);
  const { cookie, formToken } = desk.enter();
  const body = new URLSearchParams({ token: formToken }).toString();
  const { host } = new URL(desk.server.origin);
  const head = [...listPostLines('/acts', cookie), `Content-Length: ${body.length}`].join('\r\n');
  const socket = connect(desk.server.port, '127.0.0.1');
  const late = text(socket);
  socket.write(`${head.replaceAll('{host}', host).replaceAll('{origin}', desk.server.origin)}\r\n\r\n`);
  await sleep(300);
  desk.lock.lock('button');
  desk.entry.startVisit();
  desk.lock.hold(desk.unlocked);
  socket.end(body);
  assert.match(await late, /^HTTP\/1\.1 403 /);
  assert.equal(desk.posted.length, 0);
});

test('a key without a passphrase is not unlocked in the browser', async (t) => {
  const desk = await startLoopbackDesk(t, { locked: { hasPassphrase: false } });
  const { cookie } = desk.enter();
  desk.lock.lock('button');
  const page = await desk.visit('/unlock', cookie);
  assert.match(page, /press Enter in the terminal/);
  assert.doesNotMatch(page, /name="passphrase"/);
});

test('an idle desk locks itself, also when its timers stood still', async (t) => {
  const desk = await startLoopbackDesk(t);
  const { cookie } = desk.enter();
  desk.clock.ahead += IDLE_MINUTES * 60_000 - 1_000;
  assert.match(await desk.visit('/queue', cookie), /^HTTP\/1\.1 200 /);
  desk.clock.ahead += IDLE_MINUTES * 60_000 - 1_000;
  assert.match(await desk.visit('/queue', cookie), /^HTTP\/1\.1 200 /);
  desk.clock.ahead += IDLE_MINUTES * 60_000;
  assert.match(await desk.visit('/queue', cookie), /^HTTP\/1\.1 303 /);
  assert.equal(desk.lock.state?.reason, 'idle');
});

test('the desk proves itself to its own pages alone, and that is no sign of work', async (t) => {
  const desk = await startLoopbackDesk(t);
  const { cookie, formToken } = desk.enter();
  const asked = randomUUID();
  const fetched = OWN_VISIT.map((line) => line.replace('document', 'empty').replace('navigate', 'cors'));
  const ask = async (target: string, lines: readonly string[] = [`Cookie: ${cookie}`]) =>
    await desk.send([`GET ${target} HTTP/1.1`, ...fetched, ...lines]);
  const said = JSON.stringify(desk.news);
  const proof = createHmac('sha256', formToken).update(asked).update(said).digest().toString();
  assert.ok((await ask(`/proof?of=${asked}`)).endsWith(`\r\n\r\n${proof}${said}`));
  assert.match(await ask(`/proof?of=${asked}`, []), /^HTTP\/1\.1 403 /);
  assert.match(await ask('/queue'), /^HTTP\/1\.1 403 /);
  for (const wrong of ['', '?of=', '?of=abc', `?of=${asked}&of=${formToken}`, `?of=${formToken}`])
    assert.doesNotMatch(
      await ask(`/proof${wrong}`),
      new RegExp(`^HTTP/1\\.1 200 [^]*length: (?!${32 + said.length})`),
      wrong,
    );
  desk.clock.ahead += IDLE_MINUTES * 60_000;
  const locked = createHmac('sha256', formToken).update(asked).digest().toString();
  assert.ok((await ask(`/proof?of=${asked}`)).endsWith(`\r\n\r\n${locked}`), 'a locked desk has no news');
  assert.equal(desk.lock.state?.reason, 'idle');
});

test('a clock that is set back keeps neither the desk unlocked nor an address alive', async (t) => {
  const desk = await startLoopbackDesk(t);
  const { cookie } = desk.enter();
  desk.clock.ahead -= 86_400_000;
  assert.match(await desk.visit('/queue', cookie), /^HTTP\/1\.1 200 /);
  desk.clock.steadyAhead += IDLE_MINUTES * 60_000;
  assert.match(await desk.visit('/queue', cookie), /^HTTP\/1\.1 303 /);
  assert.equal(desk.lock.state?.reason, 'idle');
  const secret = desk.entry.makeSecret();
  desk.clock.ahead -= 86_400_000;
  desk.clock.steadyAhead += ENTRY_SECONDS * 1000;
  assert.match(await enterBy(desk, secret), /^HTTP\/1\.1 403 /);
});

test('every answer forbids what the desk does not need, and is kept nowhere', async (t) => {
  const desk = await startLoopbackDesk(t);
  const { cookie } = desk.enter();
  const page = await desk.visit('/queue', cookie);
  const refused = await desk.send(['GET / HTTP/1.1', 'Host: evil.example']);
  for (const answer of [page, refused])
    for (const line of [
      'cache-control: no-store',
      'x-frame-options: DENY',
      'referrer-policy: same-origin',
      'x-content-type-options: nosniff',
      'cross-origin-opener-policy: same-origin',
      'cross-origin-resource-policy: same-origin',
      'integrity-policy: blocked-destinations=(script)',
    ])
      assert.ok(answer.includes(`\r\n${line}\r\n`), `${line} is missing`);
  assert.match(
    page,
    /content-security-policy: default-src 'none'; [^\r]*frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n/,
  );
});

test('a file is a download with a safe name, and an unexpected error says nothing of a case', async (t) => {
  const desk = await startLoopbackDesk(t);
  const { cookie, formToken } = desk.enter();
  const file = await desk.visit('/file', cookie);
  assert.match(file, /content-type: application\/octet-stream\r\n/);
  assert.match(file, /content-security-policy: sandbox;/);
  assert.match(
    file,
    /content-disposition: attachment; filename="_\.\._\.bash_gpj\.html"; filename\*=UTF-8''_\.\._\.bash_gpj\.html\r\n/,
  );
  const faults = [
    await desk.visit('/fault', cookie),
    await desk.post('/fault', cookie, { token: formToken, text: SECRET_TEXT }),
  ];
  for (const fault of faults) {
    assert.match(fault, /^HTTP\/1\.1 502 [\s\S]*That did not work/);
    assert.doesNotMatch(fault, new RegExp(SECRET_TEXT));
  }
  assert.equal(desk.errors.length, 2);
});

test('a text whose sending ended in a fault comes back to its author', async (t) => {
  const answer = () => Promise.reject(new Error('disk full'));
  const desk = await startLoopbackDesk(t, {
    routes: [{ method: 'POST', path: '/cases/:id/messages', answer }],
  });
  const { cookie, formToken } = desk.enter();
  const path = `/cases/${'a'.repeat(22)}/messages`;
  const said = await desk.post(path, cookie, { token: formToken, text: 'Since when?' });
  assert.match(said, /^HTTP\/1\.1 502 [\s\S]*may have arrived[\s\S]*\nSince when\?<\/textarea>/);
});

test('a fault of the office is shown in its own sentence', async (t) => {
  const refusal = new OfficeFault('sign_in_refused', 'The office does not know your key.');
  const route = { method: 'GET', path: '/refused', answer: () => Promise.reject(refusal) } as const;
  const desk = await startLoopbackDesk(t, { routes: [route] });
  const answer = await desk.visit('/refused', desk.enter().cookie);
  assert.match(answer, /^HTTP\/1\.1 502 [\s\S]*The office does not know your key\./);
  assert.deepEqual(desk.errors, []);
});
