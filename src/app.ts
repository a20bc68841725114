/** Builds the server from its services; the program and the tests build the same one. */
import cookie from '@fastify/cookie';
import { addCredentials } from '#agents/credentials.ts';
import { addDocs } from '#agents/docs/routes.ts';
import { addApiCatalog } from '#agents/documents/api-catalog.ts';
import { addAuthMd } from '#agents/documents/auth-md.ts';
import { addAuthorizationServer } from '#agents/documents/authorization-server.ts';
import { addForCrawlers } from '#agents/documents/crawler-files.ts';
import { addOpenApi } from '#agents/documents/openapi.ts';
import { gatherOperations } from '#agents/documents/openapi-routes.ts';
import { addProblems } from '#agents/documents/problem-pages.ts';
import { addProtectedResource } from '#agents/documents/protected-resource.ts';
import { addRegistration } from '#agents/registration.ts';
import { addOperations } from '#api/operations.ts';
import { addClaims } from '#oauth/claims.ts';
import { addOAuthEndpoints } from '#oauth/endpoints.ts';
import { lazyEngine } from '#oauth/engine-loader.ts';
import { addGuard } from '#oauth/guard.ts';
import { addSignIn } from '#oauth/sign-in/routes.ts';
import type { App } from '#platform/http/app.ts';
import { apiTags, Problem, problemResponses } from '#platform/http/operation.ts';
import { createServer, type ServerParts } from '#platform/http/server.ts';
import type { Services } from '#services.ts';
import { addBuy } from '#site/buy.ts';
import { addCase } from '#site/case/routes-plain.ts';
import { addSealedCase } from '#site/case/routes-sealed.ts';
import { addContact, addSealedContact } from '#site/contact/routes.ts';
import { errorPage } from '#site/error-page.ts';
import { addHome } from '#site/home.ts';
import { addInquiry } from '#site/inquiry/landing.ts';
import { addInquiryArrival } from '#site/inquiry/post-plain.ts';
import { addSealedInquiry } from '#site/inquiry/post-sealed.ts';
import { addPrivacy } from '#site/privacy.ts';
import { addSecurityTxt } from '#site/security-txt.ts';
import { addAssets, loadAssets } from '#view/assets.ts';
import { type Frame, sendPage } from '#view/page.ts';

interface AppParts extends Pick<ServerParts, 'config' | 'certificate'> {
  readonly services: Services;
}

export async function buildApp({ config, certificate, services }: AppParts): Promise<App> {
  const { addresses, clock, log, store } = services;
  const { name: siteName, maintainer } = config.site;
  const frame = { siteName, maintainer, assets: await loadAssets() };
  const app = await createServer({
    config,
    certificate,
    addresses,
    clock,
    log,
    translate: store.translate,
    showProblem: (reply, problem, requestId) => sendPage(reply, frame, errorPage(problem, requestId)),
  });
  const routes = gatherOperations(app);
  addGuard(app, services);
  await app.register(async (api) => await addOperations(api, services), { prefix: addresses.apiPath });
  await addAgents(app, services, { frame, routes });
  await addOAuth(app, services, frame);
  addAssets(app, frame.assets);
  await app.register(async (site) => await addSite(site, services, frame));
  return app;
}

interface Gathered {
  readonly frame: Frame;
  readonly routes: ReturnType<typeof gatherOperations>;
}

async function addAgents(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
  { frame, routes }: Gathered,
): Promise<void> {
  const { addresses } = services;
  const { siteName, maintainer } = frame;
  addProblems(app);
  addAuthorizationServer(app, addresses);
  addProtectedResource(app, addresses, siteName);
  addAuthMd(app, { addresses, siteName, maintainer });
  addApiCatalog(app, addresses);
  addForCrawlers(app, addresses, siteName);
  const described = { tags: apiTags, problem: Problem, problemResponses };
  const document = addOpenApi(app, { routes, addresses, siteName, maintainer, ...described });
  addDocs(app, document, frame);
  // Each in a scope of its own, since each reads bodies in a way of its own.
  await app.register(async (scope) => addRegistration(scope, services));
  await app.register(async (scope) => addCredentials(scope, services, frame));
}

/** Each in a scope of its own, since each reads bodies in a way of its own. */
async function addOAuth(app: App, services: Services, frame: Frame): Promise<void> {
  const engine = lazyEngine(services, frame);
  await app.register(async (scope) => addOAuthEndpoints(scope, engine, services.addresses));
  await app.register(async (scope) => addSignIn(scope, { services, engine, frame }));
  await app.register(async (scope) => addClaims(scope, services));
}

async function addSite(site: App, services: Services, frame: Frame): Promise<void> {
  const { addresses, clock } = services;
  await site.register(cookie);
  await addHome(site, services, frame);
  await addPrivacy(site, frame);
  addSecurityTxt(site, { addresses, clock, maintainer: frame.maintainer });
  addInquiry(site, services, frame);
  // Each in a scope of its own, since each takes another kind of body.
  await site.register(async (scope) => addBuy(scope, services, frame));
  await site.register(async (scope) => await addInquiryArrival(scope, services, frame));
  await site.register(async (scope) => addSealedInquiry(scope, services));
  await site.register(async (scope) => addCase(scope, services, frame));
  await site.register(async (scope) => addSealedCase(scope, services));
  await site.register(async (scope) => addContact(scope, services, frame));
  await site.register(async (scope) => addSealedContact(scope, services));
}
