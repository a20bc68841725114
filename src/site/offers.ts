/** What is sold as linked data (schema.org), for search engines and agents. */
import type { Language } from '#language/language.ts';
import { DELIVERY_HOURS, priceCurrency, tiers } from '#payments/tiers.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import { renderLinkedData } from '#view/data-block.ts';
import type { Html } from '#view/html.ts';
import { TIER_KEYS } from './tier-text.ts';

/** The names and prices are those of the pricing operation. */
export function renderOffers({ say }: Language, { site }: PublicAddresses, description: string): Html {
  return renderLinkedData({
    '@context': 'https://schema.org',
    '@type': 'Service',
    name: say('home.title', { hours: DELIVERY_HOURS }),
    description,
    url: `${site}/`,
    termsOfService: `${site}/terms`,
    offers: tiers.map(({ name, price }) => ({
      '@type': 'Offer',
      name,
      description: say(`tier.${TIER_KEYS[name]}.about`),
      price,
      priceCurrency: priceCurrency.toUpperCase(),
      url: `${site}/#prices`,
    })),
  });
}
