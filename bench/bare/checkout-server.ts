/** The baseline of the checkout bench: a bare route that calls the same sandbox by the same SDK and stores nothing. */
import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { startBareServer } from './bare-server.ts';

const { hostname, port } = new URL(process.env['STRIPE_API_URL'] ?? '');
const stripe = new Stripe(process.env['STRIPE_SECRET_KEY'] ?? '', {
  host: hostname,
  port,
  protocol: 'http',
  telemetry: false,
});
await startBareServer((app) => {
  app.post('/api/stripe/checkout', async () => {
    const id = randomUUID();
    const { url } = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: 'usd',
              unit_amount: 9_900,
              product_data: {
                name: 'Online research, basic',
                description: 'Delivered online within 48 hours.',
              },
            },
          },
        ],
        allowed_payment_method_types: ['card'],
        adaptive_pricing: { enabled: false },
        customer_creation: 'if_required',
        client_reference_id: id,
        metadata: { order_id: id },
        payment_intent_data: { metadata: { order_id: id }, statement_descriptor_suffix: 'ONLINE RESEARCH' },
        success_url: 'https://localhost/inquiry?tier=Trace&session_id={CHECKOUT_SESSION_ID}',
        cancel_url: 'https://localhost/payment-cancelled',
        expires_at: Math.floor(Date.now() / 1_000) + 3_600,
      },
      { idempotencyKey: `order-${id}` },
    );
    return { url };
  });
});
