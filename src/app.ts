/** Builds the server from its parts; the program and the tests build the same one. */
import { addProblems } from '#agents/problems.ts';
import { addHealth, addReadiness } from '#api/health.ts';
import { addPayments, addWebhook } from '#api/payments.ts';
import type { Till } from '#payments/till.ts';
import type { App } from '#platform/http/app.ts';
import { createServer, type ServerParts } from '#platform/http/server.ts';
import { addInquiry } from '#site/inquiry.ts';
import type { Store } from '#store/store.ts';

export interface AppParts extends Omit<ServerParts, 'translate'> {
  readonly store: Store;
  readonly till: Till;
}

export async function buildApp(parts: AppParts): Promise<App> {
  const { addresses, store, till } = parts;
  const app = await createServer({ ...parts, translate: store.translate });
  await app.register(
    async (api) => {
      addHealth(api);
      addReadiness(api, store);
      addPayments(api, till);
      await api.register(async (webhook) => addWebhook(webhook, till));
    },
    { prefix: addresses.apiPath },
  );
  addProblems(app);
  await app.register(async (site) => await addInquiry(site, till));
  return app;
}
