/** The yardstick of the checkout bench: a bare route that asks the same sandbox through the same SDK, and keeps nothing. */
import { fastify } from 'fastify';
import { generate } from 'selfsigned';
import { Stripe } from 'stripe';

const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
  curve: 'P-256',
});
const { hostname, port } = new URL(process.env['STRIPE_API_URL'] ?? '');
const stripe = new Stripe(process.env['STRIPE_SECRET_KEY'] ?? '', {
  host: hostname,
  port,
  protocol: 'http',
  telemetry: false,
});
const app = fastify({ https: { key, cert } });
app.get('/api/health', async () => ({ status: 'ok' }));
app.post('/api/stripe/checkout', async () => {
  const { url } = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'usd', unit_amount: 9_900, product_data: { name: 'Online research, basic' } },
      },
    ],
    success_url: 'https://localhost/inquiry?tier=Trace&session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://localhost/',
  });
  return { url };
});
await app.listen({ host: 'localhost', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit(0));
