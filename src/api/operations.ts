/** Every operation under {base_url}, in one list. */
import type { App } from '#platform/http/app.ts';
import type { ApiParts } from './api-parts.ts';
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

export async function addOperations(api: App, parts: ApiParts): Promise<void> {
  const { till, registry } = parts;
  addHealth(api);
  addReadiness(api, registry);
  addPricing(api);
  addPayments(api, till);
  addOrders(api, till);
  addSealingKeys(api, registry);
  addInquiries(api, parts);
  addCases(api, registry);
  addMessages(api, registry);
  addCaseFiles(api, registry);
  addContactMessages(api, registry);
  // Each in a scope of its own, since each takes another kind of body.
  await api.register(async (scope) => addUploads(scope, parts));
  await api.register(async (scope) => addWebhook(scope, till));
}
