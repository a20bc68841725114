/** Every bench by its name; `all` runs them in this order. */
import type { Bench } from './bench.ts';
import { benchAttack } from './benches/attack.ts';
import { benchCheckout } from './benches/checkout.ts';
import { benchCold } from './benches/cold.ts';
import { benchDesk } from './benches/desk.ts';
import { benchGrowth } from './benches/growth.ts';
import { benchHealth } from './benches/health.ts';
import { benchInquiry } from './benches/inquiry.ts';
import { benchInstances } from './benches/instances.ts';
import { benchOverload } from './benches/overload.ts';
import { benchPurge } from './benches/purge.ts';
import { benchQueue } from './benches/queue.ts';
import { benchRead } from './benches/read.ts';
import { benchToken } from './benches/token.ts';
import { benchTurns } from './benches/turns.ts';

export const benches: Readonly<Record<string, Bench>> = {
  health: benchHealth,
  checkout: benchCheckout,
  inquiry: benchInquiry,
  read: benchRead,
  token: benchToken,
  cold: benchCold,
  overload: benchOverload,
  attack: benchAttack,
  queue: benchQueue,
  desk: benchDesk,
  purge: benchPurge,
  turns: benchTurns,
  growth: benchGrowth,
  instances: benchInstances,
};
