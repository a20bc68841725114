/** The three tiers: the single source of their names, prices and delivery times. */

/** From the inquiry to the finding, whatever was bought. */
export const DELIVERY_HOURS = 48;

interface Tier {
  readonly name: string;
  /** US dollars. */
  readonly price: number;
  readonly delivery: string;
  readonly includesCall: boolean;
  /** Printed on the card holder's receipt, so it must not mention an investigation. */
  readonly receiptName: string;
}

export const tiers = [
  {
    name: 'Trace',
    price: 99,
    delivery: `${DELIVERY_HOURS} hours`,
    includesCall: false,
    receiptName: 'Online research, basic',
  },
  {
    name: 'Dossier',
    price: 199,
    delivery: `${DELIVERY_HOURS} hours plus a call`,
    includesCall: true,
    receiptName: 'Online research, extended',
  },
  {
    name: 'Deep Sweep',
    price: 299,
    delivery: `${DELIVERY_HOURS} hours`,
    includesCall: false,
    receiptName: 'Online research, full',
  },
] as const satisfies readonly Tier[];

export type TierName = (typeof tiers)[number]['name'];

export const tierNames = tiers.map(({ name }) => name);

export const priceCurrency = 'usd';

export function getTier(name: TierName): Tier {
  return tiers.find((tier) => tier.name === name) as Tier;
}

/** In cents, as the provider expects. */
export function computeTierAmount(name: TierName): number {
  return getTier(name).price * 100;
}
