/** Sends the test events that are due; a test kills it while it sends. */
import { createWebhookSender } from '#clients/webhook-sender.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { loadKeyring } from '#store/keys/keyring.ts';
import { openStore } from '#store/store.ts';
import { silentLog } from '#test/store/engines.ts';

const config = readConfig(process.env);
const store = await openStore({ config, clock: systemClock, log: silentLog });
const webhookNetwork = { resolveHost: async () => [], allowLoopback: true };
const keyring = await loadKeyring(config);
const options = { webhookNetwork, clock: systemClock, keyring, log: silentLog, store, sweepMs: MINUTE_MS };
await createWebhookSender(options)();
await store.close();
