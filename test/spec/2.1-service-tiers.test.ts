/** Specification 2.1: the three tiers by their exact names, with price and delivery, wherever they are named. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { startTestShop } from '#test/test-shop.ts';

const shop = await startTestShop({ after });
const tiers = [
  { tier: 'Trace', price: 99, delivery: '48 hours', currency: 'usd' },
  { tier: 'Dossier', price: 199, delivery: '48 hours plus a call', currency: 'usd' },
  { tier: 'Deep Sweep', price: 299, delivery: '48 hours', currency: 'usd' },
];

test('programs read the three tiers, and no other', async () => {
  const { status, json } = await shop.get('/api/pricing');
  assert.equal(status, 200);
  assert.deepEqual(json['tiers'], tiers);
});

test('people read the same on the first page', async () => {
  const { text } = await shop.get('/');
  for (const { tier, price } of tiers)
    assert.match(text, new RegExp(`${tier}[\\s\\S]*?\\$${price}\\b`), tier);
});

test('each can be bought by its exact name and by nothing that resembles it', async () => {
  for (const { tier } of tiers) assert.equal((await shop.postCheckout(tier)).status, 200, tier);
  for (const name of ['trace', 'TRACE', ' Trace', 'DeepSweep', 'Deep  Sweep', 'Deep+Sweep', 'Deep%20Sweep'])
    assert.equal((await shop.postCheckout(name)).status, 422, name);
});
