/** Specification 2.5 and 5.2: an agent registers, and what a registration may contain. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deleteExpiredRows } from '#store/due-work.ts';
import { storageCaps } from '#store/limits/storage-caps.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import { buildTestApp } from '#test/test-app.ts';
import {
  pollRegistrationStatus,
  postRegistration,
  registerSampleAgent,
  sampleRegistration,
} from './sample-registration.ts';

let now = Date.now();
const app = await buildTestApp({ after }, { clock: { now: () => now } });
const { store, services } = app;
const get = withOpenApiChecks(app.get);
const findRow = async (id: unknown) => {
  const rows = store.records.selectFrom('registrations').selectAll();
  return await rows.where('id', '=', String(id)).executeTakeFirstOrThrow();
};
const countRegistrations = async () =>
  (await store.records.selectFrom('registrations').select('id').execute()).length;

test('a registration is accepted as pending, and returns the address to poll', async () => {
  const answer = await postRegistration(get, sampleRegistration);
  assert.equal(answer.status, 202);
  const { registration_id, registration_token, ...rest } = answer.json;
  const address = `${services.addresses.site}/agents/registrations/${registration_id}`;
  assert.deepEqual(rest, { status: 'pending', status_uri: address });
  assert.equal(answer.headers.location, address);
  assert.equal(answer.headers['cache-control'], 'no-store');
  const status = await pollRegistrationStatus(get, String(registration_id), String(registration_token));
  assert.deepEqual(status.json, { registration_id, status: 'pending' });
  assert.equal(status.headers['retry-after'], '60');
});

test('secrets are stored only hashed or encrypted, and never logged', async () => {
  const { token } = await registerSampleAgent(get, { contact: 'canary@agent.example' });
  const rows = JSON.stringify(await store.records.selectFrom('registrations').selectAll().execute());
  assert.doesNotMatch(rows, new RegExp(`${token}|canary`));
  assert.doesNotMatch(app.readLog(), new RegExp(`${token}|canary|Sample Agent`));
});

test('a form is accepted like JSON, with repeated names for lists', async () => {
  const postFields = (fields: [string, string][]) =>
    get('/auth.md', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const fields: [string, string][] = [
    ['client_name', 'Form Agent'],
    ['contact', 'form@agent.example'],
    ['supported_identity_types', 'did'],
    ['credential_types', 'dpop'],
    ['redirect_uris', 'http://127.0.0.1/callback'],
    ['redirect_uris', 'https://agent.example/a'],
  ];
  const answer = await postFields(fields);
  assert.equal(answer.status, 202, answer.text);
  const row = await findRow(answer.json['registration_id']);
  assert.deepEqual(
    [row.name, row.identity_type, row.credentials, row.redirect_uris],
    ['Form Agent', 'did', 'dpop', '["http://127.0.0.1/callback","https://agent.example/a"]'],
  );
  assert.equal((await postFields([...fields, ['client_name', 'Another']])).status, 422);
});

test('credential types may be one word or a list', async () => {
  for (const [given, stored] of [
    ['bearer', 'bearer'],
    [['dpop'], 'dpop'],
    [['dpop', 'bearer'], 'bearer dpop'],
  ] as const) {
    const { id } = await registerSampleAgent(get, { credential_types: given });
    assert.equal((await findRow(id)).credentials, stored);
  }
});

test('the same Idempotency-Key registers once, and returns the token once', async () => {
  const postWithKey = (body: unknown) =>
    postRegistration(get, body, { 'idempotency-key': 'one-try-of-this-registration' });
  const first = await postWithKey(sampleRegistration);
  const before = await countRegistrations();
  const second = await postWithKey(sampleRegistration);
  assert.equal(second.status, 202);
  assert.equal(second.json['registration_id'], first.json['registration_id']);
  assert.deepEqual(
    [typeof first.json['registration_token'], second.json['registration_token']],
    ['string', undefined],
  );
  assert.equal(await countRegistrations(), before);
  const other = await postWithKey({ ...sampleRegistration, client_name: 'Another' });
  assert.deepEqual([other.status, other.json['code']], [422, 'idempotency_key_reused']);
});

test('an Idempotency-Key that others could guess is refused', async () => {
  const before = await countRegistrations();
  const answer = await postRegistration(get, sampleRegistration, { 'idempotency-key': '1' });
  assert.deepEqual([answer.status, answer.json['code']], [400, 'idempotency_key_weak']);
  assert.equal(await countRegistrations(), before);
});

const forPeople = { grant_types: ['authorization_code', 'refresh_token'] };

test('grants that fit the redirect addresses are accepted, and addresses that no grant needs', async () => {
  for (const changes of [
    forPeople,
    { grant_types: ['client_credentials'], redirect_uris: [] },
    { grant_types: ['client_credentials'] },
    { grant_types: [], redirect_uris: [] },
  ])
    await registerSampleAgent(get, changes);
});

const faulty: [what: string, changes: Record<string, unknown>, pointer: string][] = [
  ['an unknown field', { scope: 'case:read' }, '/scope'],
  ['no name', { client_name: undefined }, '/client_name'],
  ['a name that is no text', { client_name: 1 }, '/client_name'],
  ['a blank name', { client_name: '   ' }, '/client_name'],
  ['markup in the name', { client_name: '<script>alert(1)</script>' }, '/client_name'],
  ['hidden characters in the name', { client_name: 'Good\u202eevil' }, '/client_name'],
  ['a name without end', { client_name: 'a'.repeat(101) }, '/client_name'],
  ['a contact that is no address', { contact: 'no-address' }, '/contact'],
  ['two contacts in one', { contact: 'a@b.example,c@d.example' }, '/contact'],
  ['an unknown identity', { supported_identity_types: 'passport' }, '/supported_identity_types'],
  ['a list of identities', { supported_identity_types: ['email'] }, '/supported_identity_types'],
  ['an unknown credential', { credential_types: ['bearer', 'mtls'] }, '/credential_types'],
  ['no credential', { credential_types: [] }, '/credential_types'],
  ['one callback that is in no list', { redirect_uris: 'https://agent.example/' }, '/redirect_uris'],
  ['a callback that is no address', { redirect_uris: ['not an address'] }, '/redirect_uris/0'],
  ['a fragment', { redirect_uris: ['https://agent.example/#x'] }, '/redirect_uris/0'],
  ['plain http', { redirect_uris: ['https://a.example/', 'http://agent.example/'] }, '/redirect_uris/1'],
  ['a scheme that is no reversed domain name', { redirect_uris: ['example:/callback'] }, '/redirect_uris/0'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, '/redirect_uris/0'],
  [
    'eleven callbacks',
    { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`) },
    '/redirect_uris',
  ],
  ['a code without a redirect address', { ...forPeople, redirect_uris: [] }, '/redirect_uris'],
  ['a code without the field for addresses', { ...forPeople, redirect_uris: undefined }, '/redirect_uris'],
  ['a refresh token without a code', { grant_types: ['refresh_token'] }, '/grant_types'],
];

for (const [what, changes, pointer] of faulty)
  test(`${what} is refused, and nothing is stored`, async () => {
    const before = await countRegistrations();
    const answer = await postRegistration(get, { ...sampleRegistration, ...changes });
    assert.equal(answer.status, 422, answer.text);
    const pointers = (answer.json['errors'] as { pointer: string }[]).map((error) => error.pointer);
    assert.ok(
      pointers.some((each) => each.startsWith(pointer)),
      answer.text,
    );
    assert.doesNotMatch(answer.text, /<script|alert|evil/);
    assert.equal(await countRegistrations(), before);
  });

test('an unknown registration, a wrong token and no token are refused alike', async () => {
  const { id, token } = await registerSampleAgent(get);
  for (const [unknownId, wrongToken] of [
    [id, 'wrong'],
    ['unknown', token],
  ] as const) {
    const answer = await pollRegistrationStatus(get, unknownId, wrongToken);
    assert.deepEqual([answer.status, answer.json['code']], [401, 'invalid_token']);
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="registration", error="invalid_token"');
  }
  const bare = await get(`/agents/registrations/${id}`);
  assert.deepEqual([bare.status, bare.json['code']], [401, 'unauthorized']);
  assert.equal(bare.headers['www-authenticate'], 'Bearer realm="registration"');
});

test('a registration that stays undecided for 30 days is deleted', async () => {
  const { poll: ask } = await registerSampleAgent(get);
  now += 30 * 86_400_000 - 1_000;
  assert.equal((await ask()).status, 200);
  now += 1_000;
  assert.equal((await ask()).status, 401);
  now += 1;
  await deleteExpiredRows(services.store.records, 'registrations', services.clock.now(), 100);
  assert.equal(await countRegistrations(), 0);
});

test('a full queue accepts no more registrations until some are decided', async () => {
  const row = await findRow((await registerSampleAgent(get)).id);
  await store.transaction(async (records) => {
    for (let index = 1; index < storageCaps.registrations.number; index += 1)
      await records
        .insertInto('registrations')
        .values({ ...row, id: `filler-${index}` })
        .execute();
  });
  await store.gate.refresh();
  const answer = await postRegistration(get, sampleRegistration);
  assert.deepEqual([answer.status, answer.json['code']], [503, 'registrations_full']);
  assert.equal(answer.headers['retry-after'], '3600');
  await store.records.deleteFrom('registrations').where('id', '=', 'filler-1').execute();
  await store.gate.refresh();
  assert.equal((await postRegistration(get, sampleRegistration)).status, 202);
});

test('registrations from one address are rate limited', async (t) => {
  const { get: ask } = await buildTestApp(t, { env: { RATE_LIMIT: 'on' } });
  for (let index = 0; index < 6; index += 1)
    assert.equal((await postRegistration(ask, sampleRegistration)).status, 202);
  assert.equal((await postRegistration(ask, sampleRegistration)).status, 429);
});
