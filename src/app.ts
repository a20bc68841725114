/** Builds the server with all its routes, for the program and for the tests. */
import cookie from '@fastify/cookie';
import { addCrawlerRoutes } from '#agents/documents/crawler-files.ts';
import { addGuideRoutes } from '#agents/documents/guides.ts';
import { addMetadataRoutes } from '#agents/documents/metadata.ts';
import { addOpenApiRoutes, collectDescribedRoutes } from '#agents/documents/openapi-routes.ts';
import { addProblemRoutes } from '#agents/documents/problem-pages.ts';
import { addDocsRoutes } from '#agents/reference/routes.ts';
import { addCredentialsRoutes, addRegistrationRoutes } from '#agents/registration-routes.ts';
import type { AgentDocuments } from '#api/mcp/protocol-server.ts';
import { addMcpRoutes } from '#api/mcp/routes.ts';
import { addApiRoutes } from '#api/operations.ts';
import { addDeskRoutes } from '#desk-api/routes.ts';
import { addClaimsRoutes } from '#oauth/claims.ts';
import { addOAuthEndpointRoutes } from '#oauth/endpoints.ts';
import { createOAuthEngineLoader } from '#oauth/engine-loader.ts';
import { addAccessGuard } from '#oauth/guard.ts';
import { addSignInRoutes } from '#oauth/sign-in/routes.ts';
import type { App } from '#platform/http/app-type.ts';
import { createHttpServer, type HttpServerDependencies } from '#platform/http/server.ts';
import type { Services } from '#services.ts';
import { addCasePageRoutes } from '#site/case/routes-plain.ts';
import { addSealedCaseRoutes } from '#site/case/routes-sealed.ts';
import { addContactPageRoutes, addSealedContactRoutes } from '#site/contact/routes.ts';
import { addContentRoutes } from '#site/content-pages.ts';
import { addBuyRoutes, addHomeRoutes } from '#site/home.ts';
import { addInquiryPageRoutes } from '#site/inquiry/routes-landing.ts';
import { addInquiryFormRoutes } from '#site/inquiry/routes-plain.ts';
import { addSealedInquiryRoutes } from '#site/inquiry/routes-sealed.ts';
import { renderErrorPage } from '#site/message-page.ts';
import { addPermissionRoutes } from '#site/permissions/routes.ts';
import { addAssetRoutes, loadAssets } from '#view/assets.ts';
import { addLanguageChoice } from '#view/chosen-language.ts';
import { type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';

interface AppOptions extends Pick<HttpServerDependencies, 'config' | 'certificate'> {
  readonly services: Services;
}

export async function buildApp({ config, certificate, services }: AppOptions): Promise<App> {
  const { addresses, clock, log, store } = services;
  const { name: siteName, maintainer, operator } = config.site;
  const assets = await loadAssets();
  const frame = { site: addresses.site, siteName, maintainer, operator, assets };
  const app = createHttpServer({
    config,
    certificate,
    addresses,
    clock,
    log,
    translate: store.translate,
    readWaitMs: store.readWaitMs,
    sendProblemPage: async (reply, problem, requestId) => {
      await assets.waitForScripts();
      return sendPage(reply, frame, renderErrorPage(problem, requestId, negotiateLanguage(reply.request)));
    },
  });
  // The listener opens before the scripts are bundled; until then only health checks are answered.
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (!routeOptions.config.liveness) await assets.waitForScripts();
  });
  addLanguageChoice(app);
  const routes = collectDescribedRoutes(app);
  addAccessGuard(app, services);
  await app.register(async (api) => await addApiRoutes(api, services), { prefix: addresses.apiPath });
  await addDeskRoutes(app, services, config);
  const documents = await addAllAgentRoutes(app, services, { frame, routes });
  await app.register(async (scope) => addMcpRoutes(scope, { services, siteName, documents }));
  await addAllOAuthRoutes(app, services, frame);
  addAssetRoutes(app, assets);
  await app.register(async (site) => await addAllSiteRoutes(site, services, frame));
  return app;
}

/** Shown in the guides, the reference and openapi.json of a test site. */
const TEST_NOTE = 'This is a test site: no payment is real, and no one investigates anything.';

interface AgentRouteOptions {
  readonly frame: PageFrame;
  readonly routes: ReturnType<typeof collectDescribedRoutes>;
}

async function addAllAgentRoutes(
  app: App,
  services: Pick<
    Services,
    'addresses' | 'clientDocumentHosts' | 'clock' | 'content' | 'paymentProvider' | 'keyring' | 'store'
  >,
  { frame, routes }: AgentRouteOptions,
): Promise<AgentDocuments> {
  const { addresses, clientDocumentHosts, paymentProvider } = services;
  const { siteName, maintainer } = frame;
  const testNote = paymentProvider.configured && !paymentProvider.livemode ? TEST_NOTE : '';
  addProblemRoutes(app);
  addMetadataRoutes(app, services, siteName);
  const site = { addresses, clientDocumentHosts, siteName, maintainer, testNote };
  const guides = addGuideRoutes(app, site);
  addCrawlerRoutes(app, site, services.content, guides.readSteps);
  addDocsRoutes(app, addOpenApiRoutes(app, site, routes), frame, testNote);
  // Separate scopes, since each parses bodies differently.
  await app.register(async (scope) => addRegistrationRoutes(scope, services));
  await app.register(async (scope) => addCredentialsRoutes(scope, services, frame));
  return guides;
}

/** Separate scopes, since each parses bodies differently. */
async function addAllOAuthRoutes(app: App, services: Services, frame: PageFrame): Promise<void> {
  const engine = createOAuthEngineLoader(services, frame);
  await app.register(async (scope) => addOAuthEndpointRoutes(scope, engine, services));
  await app.register(async (scope) => addSignInRoutes(scope, { services, engine, frame }));
  await app.register(async (scope) => addClaimsRoutes(scope, services));
}

async function addAllSiteRoutes(site: App, services: Services, frame: PageFrame): Promise<void> {
  await site.register(cookie);
  addHomeRoutes(site, services, frame);
  addContentRoutes(site, services, frame);
  // Separate scopes, since each accepts a different kind of body.
  await site.register(async (scope) => addBuyRoutes(scope, services, frame));
  await site.register(async (scope) => addInquiryPageRoutes(scope, services, frame));
  await site.register(async (scope) => await addInquiryFormRoutes(scope, services, frame));
  await site.register(async (scope) => addSealedInquiryRoutes(scope, services));
  await site.register(async (scope) => addCasePageRoutes(scope, services, frame));
  await site.register(async (scope) => addSealedCaseRoutes(scope, services));
  await site.register(async (scope) => addContactPageRoutes(scope, services, frame));
  await site.register(async (scope) => addSealedContactRoutes(scope, services));
  await site.register(async (scope) => addPermissionRoutes(scope, services, frame));
}
