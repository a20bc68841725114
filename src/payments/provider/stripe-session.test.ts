import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { buildSessionParameters } from './stripe-session.ts';

function getPageLocale(locale?: string): string | undefined {
  const request = {
    orderId: 'order',
    amount: 100,
    currency: 'usd',
    name: 'name',
    description: 'description',
    expiresAt: 0,
    buildSuccessUrl: (id: string) => `https://site.example/${id}`,
    cancelUrl: 'https://site.example/',
  };
  return buildSessionParameters({ ...request, ...(locale && { locale }) }).locale;
}

/** The types of the package name these, but accept any other text, too. */
function listLocalesOfStripe(): string[] {
  const types = new URL('resources/Checkout/Sessions.d.ts', import.meta.resolve('stripe'));
  const list = /type Locale = ([^;]+);/.exec(readFileSync(types, 'utf8'))?.[1] ?? '';
  return [...list.matchAll(/'([^']+)'/g)].map(([, tag = '']) => tag);
}

test('the payment page is asked for in every language that Stripe has', () => {
  const locales = listLocalesOfStripe();
  assert.ok(locales.length > 40);
  assert.deepEqual(
    locales.map((tag) => getPageLocale(tag)),
    locales,
  );
});

test('a language that Stripe has not, or spells otherwise, leaves the choice to Stripe', () => {
  for (const tag of ['ar', 'pt-PT', 'es-MX', 'ES', 'en-XA']) assert.equal(getPageLocale(tag), 'auto');
  assert.equal(getPageLocale(), undefined);
});
