/** Builds the server from its parts; the program and the tests build the same one. */
import { addProblems } from '#agents/problems.ts';
import { addHealth, addReadiness } from '#api/health.ts';
import { type App, createServer, type ServerParts } from '#platform/http/server.ts';
import type { Store } from '#store/store.ts';

export interface AppParts extends Omit<ServerParts, 'translate'> {
  readonly store: Store;
}

export async function buildApp(parts: AppParts): Promise<App> {
  const { addresses, store } = parts;
  const app = await createServer({ ...parts, translate: store.translate });
  await app.register(
    async (api) => {
      addHealth(api);
      addReadiness(api, store);
    },
    { prefix: addresses.apiPath },
  );
  addProblems(app);
  return app;
}
