/** The Buy buttons: a form that leads to the provider's page, without any script. */
import { startCheckout } from '#payments/checkout.ts';
import { type TierName, tiers } from '#payments/tiers.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { HTML_MEDIA_TYPE, type PageFrame, sendPage } from '#view/page.ts';
import { renderHomePage } from './home.ts';

const PURCHASES_PER_MINUTE = 20;

/** In a scope of its own, which takes forms only. */
export function addBuyRoutes(app: App, services: Services, frame: PageFrame): void {
  addFormPostParser(app, services.addresses);
  app.post(
    '/buy',
    { config: { access: 'public', produces: HTML_MEDIA_TYPE, rateLimit: { max: PURCHASES_PER_MINUTE } } },
    async (request, reply) => {
      const tier = parseChosenTier(request.body as URLSearchParams);
      if (tier !== null) return reply.redirect(await startCheckout(services, { tier, key: null }), 303);
      const problems = [{ field: 'prices', message: 'Choose one of the three services' }];
      return sendPage(
        reply,
        frame,
        renderHomePage(services, { selling: services.gateway.configured, problems }),
      );
    },
  );
}

/** Exactly one field, so that nothing a page sends by mistake is quietly dropped. */
function parseChosenTier(fields: URLSearchParams): TierName | null {
  if (fields.size !== 1) return null;
  return tiers.find(({ name }) => name === fields.get('tier'))?.name ?? null;
}
