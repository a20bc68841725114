/** Opens the store and does what WORK says; tests kill it at every step. */
import { createPurger } from '#cases/ending/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { openStore } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { silentLog, testKeyring } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

const store = await openStore({ config: readConfig(process.env), clock: systemClock, log: silentLog });
const work = process.env['WORK'];
if (work === 'create') await Promise.all([1, 2, 3].map(() => seedCase(store)));
if (work === 'move') for (let sweep = 0; sweep < 3; sweep += 1) await store.tryWrite();
if (work === 'purge')
  await createPurger({ ...createTrustedClock(), keyring: testKeyring, store }, silentLog).run();
await store.close();
