/** The error page for authorization requests that cannot be redirected back to the client. */
import { oauthPaths } from '#platform/addresses.ts';
import { html } from '#view/html.ts';
import { buildPageHeaders, type HtmlPage, type PageFrame, renderPage } from '#view/page.ts';
import type { OAuthErrorRenderer } from './engine.ts';

/** Only the authorization endpoint shows a page; the others answer with RFC 6749's JSON, whatever Accept says. */
export function createOAuthErrorRenderer(frame: PageFrame): OAuthErrorRenderer {
  return (ctx, out) => {
    if (!ctx.path.startsWith(oauthPaths.authorize)) {
      ctx.body = out;
      return;
    }
    const page = renderOAuthErrorPage(out.error, out.error_description);
    ctx.set(buildPageHeaders(page));
    ctx.body = renderPage(frame, page);
  };
}

function renderOAuthErrorPage(error: string, description: string | undefined): HtmlPage {
  return {
    title: 'The sign-in cannot go on',
    confidential: true,
    main: html`<div class="wrap text">
<h1>The sign-in cannot go on</h1>
<p>The program that sent you here made a mistake, or waited too long. Nothing was shared. Go back to it and begin again.</p>
<p class="small">For its author: <span class="code">${error}</span>${description ? html`, ${description}` : null}</p>
</div>`,
  };
}
