/** Loads the OAuth engine on the first request that needs it, sets the origin of its requests and shows its errors. */
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Language } from '#language/language.ts';
import { oauthPaths, type PublicAddresses } from '#platform/addresses.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import { html } from '#view/html.ts';
import { buildPageHeaders, type HtmlPage, type PageFrame, renderPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { renderSentence } from '#view/sentence.ts';
import type { EngineServices, OAuthErrorRenderer } from './engine.ts';

export type OAuthEngineLoader = Lazy<{
  readonly provider: Provider;
  readonly handleRequest: ReturnType<Provider['callback']>;
}>;

/** Loading takes a quarter of the start time, so the start does not wait for it. */
export function createOAuthEngineLoader(services: EngineServices, frame: PageFrame): OAuthEngineLoader {
  // If the record store is unavailable, the next request tries again.
  return createLazy(async () => {
    const { createOidcProvider } = await import('./engine.ts');
    const provider = await createOidcProvider(services, createOAuthErrorRenderer(frame));
    return { provider, handleRequest: provider.callback() };
  });
}

/** The engine trusts the Host header, so it is always set to the issuer, whatever a client or proxy sent. */
export function pinRequestOrigin(request: FastifyRequest, { site }: PublicAddresses): FastifyRequest {
  const { headers } = request.raw;
  headers.host = site.slice('https://'.length);
  headers['x-forwarded-proto'] = 'https';
  // Deleting a missing property would slow down every later access to the headers.
  if (headers['x-forwarded-host'] !== undefined) delete headers['x-forwarded-host'];
  return request;
}

/** Only the authorization endpoint shows a page; the others answer with RFC 6749's JSON, whatever Accept says. */
function createOAuthErrorRenderer(frame: PageFrame): OAuthErrorRenderer {
  return (ctx, out) => {
    if (!ctx.path.startsWith(oauthPaths.authorize)) {
      ctx.body = out;
      return;
    }
    const page = renderOAuthErrorPage(negotiateLanguage({ raw: ctx.req }), out.error, out.error_description);
    ctx.set(buildPageHeaders(page));
    ctx.body = renderPage(frame, page);
  };
}

/** For authorization requests that cannot be redirected back to the client. */
function renderOAuthErrorPage(language: Language, error: string, description: string | undefined): HtmlPage {
  const { say } = language;
  const title = say('refusal.title');
  const author = renderSentence(language, 'refusal.author', {
    error,
    code: (text) => html`<span class="code">${text}</span>`,
  });
  return {
    title,
    language,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
<p>${say(error === 'temporarily_unavailable' ? 'refusal.later' : 'refusal.text')}</p>
<p class="small">${author}${description ? html`, <span lang="en">${description}</span>` : null}</p>
</div>`,
  };
}
