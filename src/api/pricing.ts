/** Lists the three tiers with their prices. */
import { type Static, Type } from 'typebox';
import { priceCurrency, tierNames, tiers } from '#payments/tiers.ts';
import { buildTermsPath } from '#platform/addresses.ts';
import type { App } from '#platform/http/app-type.ts';
import { describeObject } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';

export const TierNameSchema = Type.Enum(tierNames, {
  type: 'string',
  title: 'Tier',
  description: 'What is bought; `GET /pricing` has the prices.',
});

/** The version of an empty text. */
export const TERMS_VERSION_EXAMPLE = 'e3b0c44298fc1c14';

export const Pricing = describeObject(
  {
    tiers: Type.Array(
      describeObject(
        {
          tier: TierNameSchema,
          price: Type.Integer({ description: 'In whole units of the currency.' }),
          currency: Type.Literal(priceCurrency, { description: 'ISO 4217, in lower case.' }),
          delivery: Type.String({ description: 'How fast, in words.' }),
        },
        { title: 'PricedTier' },
      ),
      { maxItems: tierNames.length, description: 'What can be bought.' },
    ),
    terms_version: Type.String({
      description:
        'The terms in force, which an inquiry names: the first 16 hexadecimal digits of their SHA-256.',
    }),
    terms_url: Type.String({ format: 'uri', description: 'Where this version stays readable.' }),
  },
  {
    title: 'Pricing',
    examples: [
      {
        tiers: tiers.slice(0, 1).map(toPricingItem),
        terms_version: TERMS_VERSION_EXAMPLE,
        terms_url: `https://example.org${buildTermsPath(TERMS_VERSION_EXAMPLE)}`,
      },
    ],
  },
);

export function buildPricing({
  addresses,
  terms,
}: Pick<Services, 'addresses' | 'terms'>): Static<typeof Pricing> {
  return {
    tiers: tiers.map(toPricingItem),
    terms_version: terms.version,
    terms_url: addresses.terms(terms.version),
  };
}

export function addPricingRoutes(app: App, services: Pick<Services, 'addresses' | 'terms'>): void {
  const pricing = buildPricing(services);
  app.get(
    '/pricing',
    {
      config: { access: { optional: 'pricing:read' }, anyOrigin: true },
      schema: {
        operationId: 'getPricing',
        tags: ['payments'],
        summary: 'Lists the tiers and their prices, and names the terms in force',
        description: 'No token is needed; if one is sent, it must be valid and have `pricing:read`.',
        response: { 200: Pricing },
      },
    },
    async () => pricing,
  );
}

function toPricingItem({ name, price, delivery }: (typeof tiers)[number]) {
  return { tier: name, price, currency: priceCurrency, delivery } as const;
}
