/** Registers every operation under {base_url}. */
import type { App } from '#platform/http/app-type.ts';
import type { Services } from '#services.ts';
import { addCaseChangeRoutes, addCaseFileRoutes, addCaseReadRoutes } from './cases.ts';
import { addContactMessageRoutes } from './contact.ts';
import { addHealthRoutes, addReadinessRoutes } from './health.ts';
import { addInquiryRoutes, addSealingKeyRoutes } from './inquiries.ts';
import { addMessageListRoute, addNewMessageRoute } from './messages.ts';
import { addOrderListRoute, addOrderRoute } from './orders.ts';
import { addPaymentRoutes, addPaymentWebhookRoutes } from './payments.ts';
import { addPlainFileRoute, addPlainMessageRoute, addPlainReadRoute } from './plain-case.ts';
import { addPricingRoutes } from './pricing.ts';
import { addUploadRoutes } from './uploads.ts';
import { addWebhookRoutes, addWebhookSetRoute, addWebhookTestRoute } from './webhook.ts';

export async function addApiRoutes(api: App, services: Services): Promise<void> {
  addHealthRoutes(api);
  addReadinessRoutes(api, services);
  addPricingRoutes(api, services);
  addPaymentRoutes(api, services);
  addOrderListRoute(api, services);
  addOrderRoute(api, services);
  addSealingKeyRoutes(api, services);
  addInquiryRoutes(api, services);
  addCaseReadRoutes(api, services);
  addCaseChangeRoutes(api, services);
  addMessageListRoute(api, services);
  addNewMessageRoute(api, services);
  addCaseFileRoutes(api, services);
  addPlainReadRoute(api, services);
  addPlainMessageRoute(api, services);
  addPlainFileRoute(api, services);
  addContactMessageRoutes(api, services);
  addWebhookSetRoute(api, services);
  addWebhookTestRoute(api, services);
  addWebhookRoutes(api, services);
  // Each needs its own scope, because each accepts a different kind of body.
  await api.register(async (scope) => addUploadRoutes(scope, services));
  await api.register(async (scope) => addPaymentWebhookRoutes(scope, services));
}
