/** The Buy buttons: a form that leads to the provider's page, without any script. */
import { checkout } from '#payments/checkout.ts';
import { type TierName, tiers } from '#payments/tiers.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPosts } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { type Frame, HTML, sendPage } from '#view/page.ts';
import { homePage } from './home.ts';

const PURCHASES_PER_MINUTE = 20;

/** In a scope of its own, which takes forms only. */
export function addBuy(app: App, services: Services, frame: Frame): void {
  addFormPosts(app, services.addresses);
  app.post(
    '/buy',
    { config: { access: 'public', produces: HTML, rateLimit: { max: PURCHASES_PER_MINUTE } } },
    async (request, reply) => {
      const tier = chosenTier(request.body as URLSearchParams);
      if (tier !== null) return reply.redirect(await checkout(services, { tier, key: null }), 303);
      const problems = [{ field: 'prices', message: 'Choose one of the three services' }];
      return sendPage(reply, frame, homePage(services, { selling: services.gateway.configured, problems }));
    },
  );
}

/** Exactly one field, so that nothing a page sends by mistake is quietly dropped. */
function chosenTier(fields: URLSearchParams): TierName | null {
  if (fields.size !== 1) return null;
  return tiers.find(({ name }) => name === fields.get('tier'))?.name ?? null;
}
