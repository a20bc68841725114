/** Purges what is due and prints when it starts and when it is done; tests kill it. */
import { createPurger } from '#cases/ending/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { openStore } from '#store/store.ts';
import { silentLog, testKeyring } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

const store = await openStore({ config: readConfig(process.env), clock: systemClock, log: silentLog });
const { run } = createPurger({ ...createTrustedClock(), keyring: testKeyring, store }, silentLog);
process.stdout.write('begun\n');
await run();
process.stdout.write('done\n');
await store.close();
