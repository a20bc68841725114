/** The three tiers as data. */
import { type Static, Type } from 'typebox';
import { priceCurrency, tierNames, tiers } from '#payments/tiers.ts';
import type { App } from '#platform/http/app.ts';
import { describeOperation } from '#platform/http/operation.ts';
import { closedObject } from '#platform/http/shapes.ts';

const Pricing = Type.Object(
  {
    tiers: Type.Array(
      Type.Object(
        {
          tier: Type.Enum(tierNames, { type: 'string' }),
          price: Type.Integer({ description: 'In whole units of the currency.' }),
          currency: Type.Literal(priceCurrency),
          delivery: Type.String(),
        },
        closedObject,
      ),
    ),
  },
  {
    ...closedObject,
    examples: [{ tiers: [{ tier: 'Trace', price: 99, currency: 'usd', delivery: '48 hours' }] }],
  },
);

export function addPricingRoutes(app: App): void {
  const pricing: Static<typeof Pricing> = {
    tiers: tiers.map(({ name, price, delivery }) => ({
      tier: name,
      price,
      currency: priceCurrency,
      delivery,
    })),
  };
  app.get(
    '/pricing',
    {
      config: { access: { optional: 'pricing:read' }, anyOrigin: true },
      schema: {
        ...describeOperation({
          operationId: 'getPricing',
          tag: 'payments',
          summary: 'Lists the tiers and their prices',
          description: 'No token is needed; if one is sent, it must be valid and have `pricing:read`.',
        }),
        response: { 200: Pricing },
      },
    },
    async () => pricing,
  );
}
