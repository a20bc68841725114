/** Every operation under {base_url}, in one list. */
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { addCaseFiles } from './case-files.ts';
import { addCases } from './cases.ts';
import { addContactMessages } from './contact.ts';
import { addHealth, addReadiness } from './health.ts';
import { addInquiries } from './inquiries.ts';
import { addMessages } from './messages.ts';
import { addOrders } from './orders.ts';
import { addPayments, addWebhook } from './payments.ts';
import { addPricing } from './pricing.ts';
import { addSealingKeys } from './sealing-keys.ts';
import { addUploads } from './uploads.ts';

export async function addOperations(api: App, services: Services): Promise<void> {
  addHealth(api);
  addReadiness(api, services);
  addPricing(api);
  addPayments(api, services);
  addOrders(api, services);
  addSealingKeys(api, services);
  addInquiries(api, services);
  addCases(api, services);
  addMessages(api, services);
  addCaseFiles(api, services);
  addContactMessages(api, services);
  // Each in a scope of its own, since each takes another kind of body.
  await api.register(async (scope) => addUploads(scope, services));
  await api.register(async (scope) => addWebhook(scope, services));
}
