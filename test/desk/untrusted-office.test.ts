/** Servers that are not the office, and desks that are not the office's: neither gets anything. */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { parseOfficeAddress } from '#desk/office/office-address.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { assertFault, CHALLENGES, SESSIONS } from './hostile-script.ts';
import {
  createChallenge,
  createSession,
  type ScriptedOffice,
  startScriptedOffice,
} from './scripted-office.ts';
import { generateTestCertificate } from './test-certificate.ts';

test('another server is not trusted, whatever it shows, and is sent nothing', async (t) => {
  const office = await startScriptedOffice(t);
  const impostorTls = await generateTestCertificate();
  const expired = await generateTestCertificate('localhost', Date.now() - 3_600_000);
  const elsewhere = await generateTestCertificate('office.example');
  const listen = async ({ key, cert }: { key: string; cert: string }) => {
    let bytes = 0;
    const server = createServer({ key, cert }, () => (bytes += 1)).listen(0, '127.0.0.1');
    t.after(() => server.close().closeAllConnections());
    await new Promise((done) => server.once('listening', done));
    return { port: (server.address() as AddressInfo).port, requests: () => bytes };
  };
  const impostor = await listen(impostorTls);
  const old = await listen(expired);
  const named = await listen(elsewhere);
  const signIn = async (port: number, trust: Parameters<ScriptedOffice['connect']>[0]) =>
    await (await office.connect({ connect: { host: '127.0.0.1', port }, ...trust })).signIn();
  await assertFault(signIn(impostor.port, {}), 'untrusted', /is self-signed/);
  await assertFault(signIn(impostor.port, { trust: 'public' }), 'untrusted', /is self-signed/);
  await assertFault(
    signIn(impostor.port, { trust: { pin: office.spkiPin } }),
    'untrusted',
    /not the one that you pinned/,
  );
  await assertFault(signIn(named.port, { trust: { ca: elsewhere.cert } }), 'untrusted', /another name/);
  await assertFault(signIn(old.port, { trust: { ca: expired.cert } }), 'untrusted', /has expired/);
  await assertFault(signIn(old.port, { trust: { pin: expired.spkiPin } }), 'untrusted', /has expired/);
  assert.deepEqual(
    [impostor, old, named].map(({ requests }) => requests()),
    [0, 0, 0],
  );
  assert.equal(office.received.length, 0);
  const [closed] = [await office.connect({ connect: { host: '127.0.0.1', port: 1 } })];
  await assertFault(closed.signIn(), 'unreachable', /cannot be reached \(ECONNREFUSED\)/);

  const byPin = await office.connect({ trust: { pin: office.spkiPin } });
  await byPin.signIn();
  // The address is still that of the office: only the socket connects to another server.
  const address = parseOfficeAddress('https://office.example')!;
  const tunnelled = await office.connect({
    address,
    trust: { pin: office.spkiPin },
    connect: { host: '127.0.0.1', port: office.port },
  });
  await assertFault(tunnelled.signIn(), 'challenge_refused', /address other than/);
  assert.equal(office.received.at(-1)?.headers.host, 'office.example');
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
  await assertFault(signIn(impostor.port, {}), 'untrusted', /is self-signed/);
});

test('the desk of a stranger opens nothing', async (t) => {
  const office = await startScriptedOffice(t);
  const identity = await generateAgeIdentity();
  const recipient = await deriveRecipient(identity);
  const stranger = {
    holder: computeInvestigatorId(recipient),
    name: null,
    role: 'investigator',
    recipient,
  } as const;
  const people = [stranger];
  office.script = (request) => {
    if (SESSIONS.test(`${request.method} ${request.path}`)) return { json: createSession({ people }) };
    return CHALLENGES.test(`${request.method} ${request.path}`)
      ? createChallenge({ people, origin: office.origin }).then((json) => ({ json }))
      : null;
  };
  const desk = await office.connect({ key: { identity, path: `${office.key.path}.other` } });
  await assertFault(desk.readCase(office.fixture.facts.id), 'unreadable', /This key does not open it/);
});
