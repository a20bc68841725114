/** The error page for authorization requests that cannot be redirected back to the client. */
import type { Language } from '#language/language.ts';
import { oauthPaths } from '#platform/addresses.ts';
import { html } from '#view/html.ts';
import { buildPageHeaders, type HtmlPage, type PageFrame, renderPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { renderSentence } from '#view/sentence.ts';
import type { OAuthErrorRenderer } from './engine.ts';

/** Only the authorization endpoint shows a page; the others answer with RFC 6749's JSON, whatever Accept says. */
export function createOAuthErrorRenderer(frame: PageFrame): OAuthErrorRenderer {
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
