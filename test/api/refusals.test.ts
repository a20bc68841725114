/** What the body of a refusal reports to a program or a model: which field, which scope. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { samplePlainInquiry, shareApiTestbed } from './api-testbed.ts';

const testbed = await shareApiTestbed();
const agent = await testbed.createAgent();

async function readFieldErrors(body: object): Promise<Readonly<Record<string, string>>> {
  const { status, json } = await agent.submit(body);
  assert.equal(status, 422);
  const errors = json['errors'] as { pointer: string; detail: string }[];
  assert.equal(new Set(errors.map(({ pointer }) => pointer)).size, errors.length, 'one for each field');
  return Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail]));
}

test('of two fields that exclude each other both are named, whether none or both are given', async () => {
  assert.deepEqual(await readFieldErrors({}), {
    '/order_id': 'give either this or session_id',
    '/sealed': 'give either this or plain',
  });
  const id = 'q1Zl7yBq3mJx0c2y8l4QxA';
  const plain = { inquiry: samplePlainInquiry };
  assert.deepEqual(await readFieldErrors({ order_id: id, session_id: 'cs_1', plain }), {
    '/order_id': 'cannot be combined with session_id; give one of them',
  });
  const sealed = { lookup_hash: 'A'.repeat(43), case_key: 'AAAA' };
  assert.deepEqual(await readFieldErrors({ order_id: id, sealed }), {
    '/sealed/envelope': 'give either this or inquiry',
  });
});

test('a body that is no object is refused as such', async () => {
  for (const body of ['null', '5', '[]', '""']) {
    const headers = { 'content-type': 'application/json', authorization: agent.authorization };
    const { status, json } = await testbed.get('/api/inquiries', { method: 'POST', headers, body });
    assert.equal(status, 422, body);
    assert.deepEqual(json['errors'], [{ pointer: '', detail: 'must be an object' }]);
  }
});

test('a field has one fault at a time, in words', async () => {
  const order_id = 'q1Zl7yBq3mJx0c2y8l4QxA';
  const [tick = ''] = Object.entries(samplePlainInquiry).flatMap(([name, value]) =>
    value === true ? name : [],
  );
  const inquiry = { ...samplePlainInquiry, [tick]: 'yes', question: 'short', jurisdiction: 'France' };
  assert.deepEqual(await readFieldErrors({ order_id, plain: { inquiry } }), {
    [`/plain/inquiry/${tick}`]: 'must be true',
    '/plain/inquiry/question': 'must have at least 20 characters',
    '/plain/inquiry/jurisdiction':
      'must match pattern "^[A-Z]{2}$": The country whose law applies to the sender, as two capital letters, such as `FR`.',
  });
});

test('a number in an address is refused outside its range', async () => {
  for (const limit of ['0', '101', 'many', '1e1', '0x10', '']) {
    const { json } = await agent.request('GET', `/orders?limit=${limit}`);
    assert.deepEqual(json['errors'], [
      { parameter: 'limit', detail: 'must be a whole number within its limits, in digits' },
    ]);
  }
  const { json } = await agent.request('GET', '/orders?limit=1&limit=2');
  assert.deepEqual(json['errors'], [{ parameter: 'limit', detail: 'must be given once' }]);
});

test('the scope that is missing is in the body', async () => {
  const reader = await testbed.createAgent({ scopes: ['case:read'] });
  const { status, json } = await reader.request('GET', '/orders');
  assert.equal(status, 403);
  assert.match(String(json['detail']), /lacks the scope case:write\./);
  const pricing = await reader.request('GET', '/pricing');
  assert.match(String(pricing.json['detail']), /lacks the scope pricing:read\. .* or send no token/);
  const checkout = await reader.request('POST', '/stripe/checkout', { tier: 'Trace' });
  assert.doesNotMatch(checkout.text, /send no token/, 'the order would not be the caller’s');
});
