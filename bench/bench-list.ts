/** Every bench by its name; `all` runs them in this order. */
import type { Bench } from './bench.ts';
import { benchCheckout } from './benches/checkout.ts';
import { benchHealth } from './benches/health.ts';
import { benchInquiry } from './benches/inquiry.ts';
import { benchRead } from './benches/read.ts';
import { benchToken } from './benches/token.ts';

export const benches: Readonly<Record<string, Bench>> = {
  health: benchHealth,
  checkout: benchCheckout,
  inquiry: benchInquiry,
  read: benchRead,
  token: benchToken,
};
