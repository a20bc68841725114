/** The Buy buttons: a plain form that redirects to the payment provider's page, without a script. */
import { startCheckout } from '#payments/checkout.ts';
import { type TierName, tiers } from '#payments/tiers.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { HTML_MEDIA_TYPE, type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { renderHomePage } from './home.ts';
import { markPurchase } from './inquiry/form-cookie.ts';

/** Needs its own Fastify scope, because it accepts only form posts. */
export function addBuyRoutes(app: App, services: Services, frame: PageFrame): void {
  addFormPostParser(app, services.addresses);
  app.post(
    '/buy',
    { config: { access: 'public', produces: HTML_MEDIA_TYPE, budget: 'purchases' } },
    async (request, reply) => {
      const tier = parseChosenTier(request.body as URLSearchParams);
      const language = negotiateLanguage(request);
      if (tier !== null) {
        const { order, url } = await startCheckout(services, { tier, key: null, language });
        return markPurchase(services, reply, order.id).redirect(url, 303);
      }
      const problems = [{ field: 'prices', message: language.say('home.choose.unknown') }];
      const { configured: selling } = services.paymentProvider;
      return sendPage(reply, frame, renderHomePage(services, language, { selling, problems }));
    },
  );
}

/** Accepts exactly one field, so that a field sent by mistake is not silently ignored. */
function parseChosenTier(fields: URLSearchParams): TierName | null {
  if (fields.size !== 1) return null;
  return tiers.find(({ name }) => name === fields.get('tier'))?.name ?? null;
}
