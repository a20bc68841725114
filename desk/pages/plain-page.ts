/** Pages of a sentence or two, which load nothing: for a window that is not signed in, and for failures. */
import type { DeskPage } from '#desk/loopback/page-route.ts';
import { type Html, html } from '#view/html.ts';

/** Browsers store only the title of a page. */
export function renderDocumentHead(title: string, links: Html | null = null): Html {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${links}</head>`;
}

function renderPlain(title: string, body: Html): Html {
  return html`${renderDocumentHead('Desk')}
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

export function renderPlainPage(title: string, text: string): Html {
  return renderPlain(title, html`<p>${text}</p>`);
}

/** For a text that the desk could not store: this page is its only copy. */
export function renderUnsentPage(why: string, texts: readonly string[]): Html {
  const fields = texts.map(
    (text) =>
      html`<p><textarea aria-label="Your text" rows="20" cols="80" readonly spellcheck="false" autocomplete="off">
${text}</textarea></p>\n`,
  );
  return renderPlain(
    'Copy your text',
    html`<p>${why}</p>
${fields}<p><a href="/">Continue to the desk</a></p>`,
  );
}

/** Sent with a `Refresh` header; the link is for a browser that does not follow it. */
export function renderMovingOnPage(path: string): Html {
  return renderPlain('Desk', html`<p><a href="${path}">Continue to the desk</a></p>`);
}

/** Inside the frame of an unlocked desk. */
export function createFaultPage(title: string, text: string): DeskPage {
  return {
    title: `${title} · Desk`,
    nav: null,
    main: html`<main class="pane" id="main"><div class="empty"><h1 class="title">${title}</h1><p>${text}</p><p><a href="/queue" aria-keyshortcuts="Escape">Back to the queue</a></p></div></main>`,
  };
}
