/** Purges what is due and says when it begins and when it is done; made to be killed. */
import { createPurger } from '#cases/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { openStore } from '#store/store.ts';
import { silentLog } from '#test/store/engines.ts';

const store = await openStore({ config: readConfig(process.env), clock: systemClock, log: silentLog });
const { run } = createPurger({ clock: systemClock, store }, silentLog);
process.stdout.write('begun\n');
await run();
process.stdout.write('done\n');
await store.close();
