/** Requests that no page of the desk sends: each is refused, and reveals nothing. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { listPostLines, OWN_VISIT, SECRET_TEXT, startLoopbackDesk } from './loopback-desk.ts';

const desk = await startLoopbackDesk({ after });
const { cookie, formToken } = desk.enter();
const withCookie = [...OWN_VISIT, `Cookie: ${cookie}`];
const GET = 'GET /queue HTTP/1.1';
const { host } = new URL(desk.server.origin);
const { port } = desk.server;

function replaceLine(name: string, ...lines: string[]): string[] {
  return [...withCookie.filter((line) => !line.startsWith(`${name}:`)), ...lines];
}

async function assertRefused(
  name: string,
  status: number,
  lines: readonly string[],
  body = '',
): Promise<void> {
  const answer = await desk.send(lines, body);
  assert.equal(answer.slice(9, 12), String(status), `${name}: ${answer.slice(0, 60)}`);
  assert.ok(!answer.includes(SECRET_TEXT), name);
  assert.doesNotMatch(answer, /access-control-/i, name);
  assert.equal(desk.posted.length, 0, name);
}

test('the request of the own page is answered, so the others are refused for what is forged', async () => {
  const answer = await desk.send([GET, ...withCookie]);
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.ok(answer.includes(SECRET_TEXT));
});

const hosts: Readonly<Record<string, readonly string[]>> = {
  missing: [],
  empty: ['Host:'],
  doubled: [`Host: ${host}`, `Host: ${host}`],
  'doubled, the second foreign': [`Host: ${host}`, 'Host: evil.example'],
  foreign: ['Host: evil.example'],
  'foreign with our port': [`Host: evil.example:${port}`],
  localhost: [`Host: localhost:${port}`],
  'the address': [`Host: 127.0.0.1:${port}`],
  'without the port': [`Host: ${host.split(':')[0]}`],
  'with a dot': [`Host: ${host.replace(':', '.:')}`],
  'in capitals': [`Host: ${host.toUpperCase()}`],
  'a name below ours': [`Host: a.${host}`],
  'with a user': [`Host: user@${host}`],
  'a list': [`Host: ${host}, ${host}`],
};

test('a Host that is not exactly ours is answered 421 without a body, whatever is asked for', async () => {
  for (const [name, lines] of Object.entries(hosts))
    for (const target of ['/queue', '/nowhere', '/enter/a']) {
      const answer = await desk.send([`GET ${target} HTTP/1.1`, ...replaceLine('Host', ...lines)]);
      assert.match(answer, /^HTTP\/1\.1 421 /, `${name} at ${target}`);
      assert.match(answer, /\r\n\r\n$/, `${name} at ${target} has a body`);
    }
});

test('a target in another form is refused', async () => {
  for (const target of ['{origin}/queue', 'http://evil.example/queue', '*'])
    await assertRefused(target, 421, [`GET ${target} HTTP/1.1`, ...withCookie]);
  for (const target of ['queue', '{host}'])
    await assertRefused(target, 400, [`GET ${target} HTTP/1.1`, ...withCookie]);
});

test('each header that says where a request comes from is needed, once, with our value', async () => {
  const forged: Readonly<Record<string, readonly string[]>> = {
    'Sec-Fetch-Site': ['', 'none,same-origin', 'same-site', 'cross-site', 'SAME-ORIGIN', 'foreign'],
    'Sec-Fetch-Dest': ',iframe,frame,object,embed,empty,worker,serviceworker,foreign'.split(','),
  };
  for (const [name, values] of Object.entries(forged)) {
    await assertRefused(`${name} missing`, 403, [GET, ...replaceLine(name)]);
    const own = withCookie.find((line) => line.startsWith(`${name}:`))!;
    await assertRefused(`${name} doubled`, 403, [GET, ...replaceLine(name, own, own)]);
    for (const value of values)
      await assertRefused(`${name}: ${value}`, 403, [GET, ...replaceLine(name, `${name}: ${value}`)]);
  }
});

test('a script may fetch the proof and save a draft, and nothing else', async () => {
  const fetched = replaceLine('Sec-Fetch-Dest', 'Sec-Fetch-Dest: empty');
  const body = new URLSearchParams({ token: formToken, reply: 'Since when?' }).toString();
  const form = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`];
  const post = (target: string, origin = 'Origin: {origin}') => [
    `POST ${target} HTTP/1.1`,
    ...fetched,
    origin,
    ...form,
  ];
  const drafts = '/cases/pDtv2eGUQgcgaaaaaaaaaa/drafts';
  assert.match(await desk.send(post(drafts), body), /^HTTP\/1\.1 200 [\s\S]*\r\nsaved 19:11\r\n/);
  desk.posted.length = 0;
  await assertRefused('a draft is read', 403, [`GET ${drafts} HTTP/1.1`, ...fetched]);
  await assertRefused('a foreign origin', 403, post(drafts, 'Origin: http://evil.example'), body);
  for (const target of ['/acts', `${drafts}?x`, `${drafts}/x`, '/drafts', '/cases/../acts/drafts'])
    await assertRefused(target, 403, post(target), body);
});

test('a typed address is a document that is looked at, and nothing else', async () => {
  const typed = replaceLine('Sec-Fetch-Site', 'Sec-Fetch-Site: none');
  assert.match(await desk.send([GET, ...typed]), /^HTTP\/1\.1 200 /);
  const script = typed.map((line) => line.replace('document', 'script'));
  await assertRefused('a script', 403, [GET, ...script]);
  const fetched = typed.map((line) => line.replace('navigate', 'cors'));
  await assertRefused('not a navigation', 403, [GET, ...fetched]);
  await assertRefused('fetched ahead of time', 403, [GET, ...typed, 'Sec-Purpose: prefetch']);
});

test('an Origin that is not ours is refused, and a form needs one', async () => {
  const body = new URLSearchParams({ token: formToken }).toString();
  const post = ['POST /acts HTTP/1.1', ...withCookie, 'Content-Type: application/x-www-form-urlencoded'];
  const length = `Content-Length: ${body.length}`;
  const local = [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
  const origins = ['null', '', 'http://evil.example', ...local, `https://${host}`, `http://${host}/`];
  for (const origin of origins) {
    await assertRefused(`GET, Origin: ${origin}`, 403, [GET, ...withCookie, `Origin: ${origin}`]);
    await assertRefused(`POST, Origin: ${origin}`, 403, [...post, `Origin: ${origin}`, length], body);
  }
  await assertRefused('POST without Origin', 403, [...post, length], body);
  await assertRefused('two Origins', 403, [...post, 'Origin: {origin}', 'Origin: {origin}', length], body);
});

test('a cookie that is missing, old, doubled or of another name does not enter', async () => {
  const [name = '', value = ''] = cookie.split('=');
  for (const line of [
    '',
    'Cookie:',
    `Cookie: ${name}=`,
    `Cookie: ${name}=${value}x`,
    `Cookie: desk-0=${value}`,
    `Cookie: ${cookie}; ${cookie}`,
    `Cookie: ${name}=${value.toUpperCase()}`,
  ])
    await assertRefused(line, 403, [GET, ...OWN_VISIT, ...(line ? [line] : [])]);
  await assertRefused('two headers', 403, [GET, ...withCookie, `Cookie: ${cookie}`]);
  const style = OWN_VISIT.map((line) => line.replace('document', 'style'));
  const refused = await desk.send(['GET /assets/desk.css HTTP/1.1', ...style]);
  assert.match(refused, /^HTTP\/1\.1 403 [\s\S]*\r\n\r\n$/, 'an asset without a cookie has no body');
});

test('other methods are answered 405, and no protocol is switched', async () => {
  for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])
    await assertRefused(method, 405, [`${method} /queue HTTP/1.1`, ...withCookie]);
  assert.equal(await desk.send(['CONNECT {host} HTTP/1.1', ...withCookie]), '');
  const upgrade = [
    ...withCookie.filter((line) => !line.startsWith('Connection')),
    'Connection: Upgrade',
    'Upgrade: websocket',
  ];
  assert.equal(await desk.send([GET, ...upgrade]), '');
  const body = `token=${formToken}`;
  const post = [...listPostLines('/queue', cookie), `Content-Length: ${body.length}`];
  await assertRefused('POST to a page', 405, post, body);
  await assertRefused('GET of an act', 405, ['GET /acts HTTP/1.1', ...withCookie]);
});

test('a form counts only with its token, in a size and type that are ours', async () => {
  const post = (type: string, body: string) => [
    'POST /acts HTTP/1.1',
    ...withCookie,
    'Origin: {origin}',
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
  ];
  const urlencoded = 'application/x-www-form-urlencoded';
  for (const body of ['', 'token=', 'token=x', `token=${formToken}&token=${formToken}`, `Token=${formToken}`])
    await assertRefused(body, 403, post(urlencoded, body), body);
  for (const type of ['text/plain', 'application/json', 'multipart/form-data', ''])
    await assertRefused(type, 415, post(type, `token=${formToken}`), `token=${formToken}`);
  await assertRefused('broken parts', 400, post('multipart/form-data; boundary=b', '--b\r\n'), '--b\r\n');
  const own = listPostLines('/acts', cookie);
  await assertRefused('huge', 413, [...own, 'Content-Length: 99999999999']);
  const chunks = `${(5_000_000).toString(16)}\r\n${'a'.repeat(5_000_000)}\r\n0\r\n\r\n`;
  await assertRefused('huge, in chunks', 413, [...own, 'Transfer-Encoding: chunked'], chunks);
  await assertRefused('waits for a word', 403, [...post(urlencoded, 'a=b'), 'Expect: 100-continue'], 'a=b');
});

test('bytes that are no request are answered 400 without a body', async () => {
  for (const lines of [
    ['\0\0\0'],
    ['GET /queue HTTP/9.9'],
    [GET, ...withCookie, `X: ${'a'.repeat(20_000)}`],
    ['POST /acts HTTP/1.1', ...withCookie, 'Content-Length: 1', 'Content-Length: 2'],
  ])
    assert.match(await desk.send(lines), /^HTTP\/1\.1 400 [\s\S]*\r\n\r\n$/);
});
