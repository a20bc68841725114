/** What pages say about a tier, whose name is the same in every language. */
import type { Say } from '#language/catalogue.ts';
import { DELIVERY_HOURS, getTier, type TierName } from '#payments/tiers.ts';

/** The names of the tiers in the keys of the catalogue. */
export const TIER_KEYS = {
  Trace: 'trace',
  Dossier: 'dossier',
  'Deep Sweep': 'deep_sweep',
} as const satisfies Readonly<Record<TierName, string>>;

export function formatDollars(say: Say, amount: number | string): string {
  return `${say('price.dollars')}${amount}`;
}

export function formatDelivery(say: Say, tier: TierName): string {
  return say(getTier(tier).includesCall ? 'tier.delivery.call' : 'tier.delivery', { hours: DELIVERY_HOURS });
}
