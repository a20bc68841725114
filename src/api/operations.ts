/** Every operation under {base_url}, in one list. */
import type { Registry } from '#cases/registry.ts';
import type { Till } from '#payments/till.ts';
import type { App } from '#platform/http/app.ts';
import { addHealth, addReadiness } from './health.ts';
import { addOrders } from './orders.ts';
import { addPayments, addWebhook } from './payments.ts';
import { addPricing } from './pricing.ts';

export interface ApiParts {
  readonly till: Till;
  readonly registry: Registry;
}

export async function addOperations(api: App, { till, registry }: ApiParts): Promise<void> {
  addHealth(api);
  addReadiness(api, registry);
  addPricing(api);
  addPayments(api, till);
  addOrders(api, till);
  await api.register(async (scope) => addWebhook(scope, till));
}
