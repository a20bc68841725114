/** Two processes over one PostgreSQL: what one of them takes back or uses up, the other refuses on the next request. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Credentials, createClient } from '#clients/clients.ts';
import { systemClock } from '#platform/clock.ts';
import { scopes } from '#platform/scopes.ts';
import { changeClient } from '#store/clients.ts';
import type { Answer, Client } from '#test/https-client.ts';
import { freePorts } from '#test/ports.ts';
import { startService } from '#test/running-service.ts';
import { openAt, postgres } from '#test/store/engines.ts';
import { openBrowser } from './browser.ts';
import { CALLBACK, CHALLENGE, codeForm, machineForm, refreshForm } from './office.ts';
import { newProofKey } from './proof.ts';

const AT_ONCE = 8;
const ROUNDS = 3;

const engine = await postgres({ after });
const place = await engine.newPlace({ after });
const [port = 0] = await freePorts(1);
const origin = `https://localhost:${port}`;
const env = { ...place.env, SITE_URL: origin, RATE_LIMIT: 'off' };
const first = await startService({ after }, { ...env, PORT: String(port) });
const second = await startService({ after }, env);
const gets = [first.get, second.get] as const;
const store = await openAt({ after }, place);

const newAgent = (): Promise<Credentials> =>
  createClient(
    { store, clock: systemClock },
    {
      name: 'Sample Agent',
      scopes,
      grants: ['authorization_code', 'client_credentials', 'refresh_token'],
      redirectUris: [CALLBACK],
      credentials: 'bearer dpop',
    },
  );
const agent = await newAgent();

function token(get: Client, form: Record<string, string>, who = agent, dpop?: string): Promise<Answer> {
  return get('/oauth2/token', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${who.clientId}:${who.clientSecret}`)}`,
      ...(dpop && { dpop }),
    },
    body: new URLSearchParams(form).toString(),
  });
}

const orders = (get: Client, authorization: string, dpop?: string): Promise<Answer> =>
  get('/api/orders', { headers: { authorization, ...(dpop && { dpop }) } });

/** Half of the requests to each process. */
async function atOnce(ask: (get: Client) => Promise<Answer>): Promise<Answer> {
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => ask(gets[index % gets.length]!)),
  );
  const winners = answers.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1, answers.map(({ text }) => text).join('\n'));
  for (const { status } of answers) assert.ok([200, 400, 401].includes(status));
  return winners[0]!;
}

/** The pages are read from both processes in turn. */
let people = 0;
async function newCode(): Promise<string> {
  people += 1;
  const address = `person-${people}@example.com`;
  let turn = 0;
  const browser = openBrowser((path, ask) => {
    turn += 1;
    return gets[turn % gets.length]!(path, ask);
  }, origin);
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: agent.clientId,
    redirect_uri: CALLBACK,
    scope: 'case:write',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  await browser.open(`/oauth2/authorize?${asked}`);
  await browser.send('address', { address });
  await browser.send('code', { code: await letterTo(address) });
  await browser.send('consent');
  return browser.awayTo()?.searchParams.get('code') ?? '';
}

/** Either process may have sent it; without a mail server a letter is a file. */
async function letterTo(address: string): Promise<string> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(50))
    for (const { dataDir } of [first, second]) {
      const folder = join(dataDir, 'mail');
      for (const name of await readdir(folder).catch(() => [])) {
        if (!name.endsWith('.eml')) continue;
        const letter = await readFile(join(folder, name), 'utf8');
        if (letter.includes(`To: ${address}`)) return /^\d{6}$/m.exec(letter)?.[0] ?? '';
      }
    }
  throw new Error(`no letter came to ${address}`);
}

test('one of eight uses of a code wins, and the stolen family is dead in both processes', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const form = codeForm(await newCode());
    const { json } = await atOnce((get) => token(get, form));
    for (const get of gets) assert.equal((await orders(get, `Bearer ${json['access_token']}`)).status, 401);
  }
});

test('one of eight uses of a refresh token wins, and the family is dead in both processes', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { json } = await token(first.get, codeForm(await newCode()));
    assert.equal((await orders(second.get, `Bearer ${json['access_token']}`)).status, 200);
    const winner = await atOnce((get) => token(get, refreshForm(String(json['refresh_token']))));
    for (const get of gets)
      for (const tokens of [json, winner.json])
        assert.equal((await orders(get, `Bearer ${tokens['access_token']}`)).status, 401);
    assert.equal((await token(second.get, refreshForm(String(winner.json['refresh_token'])))).status, 400);
  }
});

test('one of eight uses of a proof wins, at the token endpoint and at the API', async () => {
  const { proof } = await newProofKey();
  for (let round = 0; round < ROUNDS; round += 1) {
    const forToken = await proof({ htm: 'POST', htu: `${origin}/oauth2/token` });
    const { json } = await atOnce((get) => token(get, machineForm, agent, forToken));
    const value = String(json['access_token']);
    const forApi = await proof({ htm: 'GET', htu: `${origin}/api/orders`, token: value });
    await atOnce((get) => orders(get, `DPoP ${value}`, forApi));
  }
});

test('a token that one process revokes, and a client that is suspended, fail at once in the other', async () => {
  const other = await newAgent();
  const [revoked, kept] = await Promise.all([
    token(first.get, machineForm, other),
    token(first.get, machineForm, other),
  ]);
  const bearer = ({ json }: Answer) => `Bearer ${json['access_token']}`;
  assert.equal((await orders(second.get, bearer(revoked))).status, 200);
  await first.get('/hcgi/platform/api/oauth2/revoke', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      token: String(revoked.json['access_token']),
      client_id: other.clientId,
      client_secret: other.clientSecret,
    }).toString(),
  });
  assert.equal((await orders(second.get, bearer(revoked))).status, 401);
  assert.equal((await orders(second.get, bearer(kept))).status, 200);
  await changeClient(store.records, other.clientId, { status: 'suspended' });
  for (const get of gets) assert.equal((await orders(get, bearer(kept))).status, 401);
});

test('both processes sign with the same key', async () => {
  const [one, other] = await Promise.all(gets.map((get) => get('/oauth2/jwks')));
  assert.deepEqual(one?.json, other?.json);
});

test('while the database is away tokens are neither issued nor believed, and then again', async () => {
  const { json } = await token(first.get, machineForm);
  const bearer = `Bearer ${json['access_token']}`;
  await engine.server.stop();
  const refused = await token(first.get, machineForm);
  assert.deepEqual([refused.status, refused.json['error']], [503, 'temporarily_unavailable']);
  assert.ok(refused.headers['retry-after']);
  assert.equal((await orders(first.get, bearer)).status, 503);
  await engine.server.start();
  assert.equal((await orders(first.get, bearer)).status, 200);
  assert.equal((await token(first.get, machineForm)).status, 200);
});

test('neither process wrote an address, a token or a code to its log', () => {
  for (const { output } of [first, second]) {
    assert.match(output(), /"route":"\/oauth2\/token"/);
    assert.doesNotMatch(output(), /example\.com|Bearer|code=|[\w-]{43}/);
  }
});
