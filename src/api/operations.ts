/** Registers every operation under {base_url}. */
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { addCaseFileRoutes } from './case-files.ts';
import { addCaseRoutes } from './cases.ts';
import { addContactMessageRoutes } from './contact.ts';
import { addHealthRoutes, addReadinessRoutes } from './health.ts';
import { addInquiryRoutes } from './inquiries.ts';
import { addMessageRoutes } from './messages.ts';
import { addOrderRoutes } from './orders.ts';
import { addPaymentRoutes, addPaymentWebhookRoutes } from './payments.ts';
import { addPlainCaseRoutes } from './plain-case.ts';
import { addPricingRoutes } from './pricing.ts';
import { addSealingKeyRoutes } from './sealing-keys.ts';
import { addUploadRoutes } from './uploads.ts';
import { addWebhookRoutes } from './webhook.ts';

export async function addApiRoutes(api: App, services: Services): Promise<void> {
  addHealthRoutes(api);
  addReadinessRoutes(api, services);
  addPricingRoutes(api, services);
  addPaymentRoutes(api, services);
  addOrderRoutes(api, services);
  addSealingKeyRoutes(api, services);
  addInquiryRoutes(api, services);
  addCaseRoutes(api, services);
  addMessageRoutes(api, services);
  addCaseFileRoutes(api, services);
  addPlainCaseRoutes(api, services);
  addContactMessageRoutes(api, services);
  addWebhookRoutes(api, services);
  // Each needs its own scope, because each accepts a different kind of body.
  await api.register(async (scope) => addUploadRoutes(scope, services));
  await api.register(async (scope) => addPaymentWebhookRoutes(scope, services));
}
