/** Lists the three tiers with their prices. */
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
    examples: [{ tiers: tiers.slice(0, 1).map(toPricingItem) }],
  },
);

export function addPricingRoutes(app: App): void {
  const pricing: Static<typeof Pricing> = { tiers: tiers.map(toPricingItem) };
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

function toPricingItem({ name, price, delivery }: (typeof tiers)[number]) {
  return { tier: name, price, currency: priceCurrency, delivery } as const;
}
