/** The safety page: how leaving works, what stays on the device, and whom to call. */
import type { Helpline } from '#content/helplines.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { createStaticPage, sendStaticPage } from '#view/document.ts';
import { type Html, html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, SAFETY_PATH } from '#view/page.ts';

export function addSafetyRoutes(app: App, { content }: Pick<Services, 'content'>, frame: PageFrame): void {
  const getPage = createStaticPage(frame, () => renderSafetyPage(content.helplines));
  app.get(SAFETY_PATH, { config: { access: 'public', produces: HTML_MEDIA_TYPE } }, async (request, reply) =>
    sendStaticPage(request, reply, await getPage(request)),
  );
}

function renderSafetyPage(helplines: readonly Helpline[]): HtmlPage {
  return {
    title: 'Stay safe: leaving, traces, helplines',
    description: 'How to leave this site quickly, what stays on your device, and who can help you now.',
    main: html`<div class="wrap text">
<h1>Stay safe</h1>
<p>In danger right now? Call the emergency number of your country first. We work in hours, not in minutes. <a href="#helplines">Numbers by country</a></p>

<h2 id="leaving">How leaving works</h2>
<p>Every page has a button, <b>Leave this page</b>. It stays at the top of the screen. It clears the screen at once and opens Wikipedia instead.</p>
<ul class="list">
<li>If you have a keyboard, pressing the Escape key three times does the same.</li>
<li>What you typed and didn’t send is gone. Nobody asks you whether you’re sure.</li>
<li>The page you left is taken out of your browser’s Back button. Back shows the page you saw before it, which may still be one of ours, or the page where you paid.</li>
<li>It doesn’t delete your browser’s history.</li>
<li>With JavaScript turned off, the button is an ordinary link: it leaves, but Back leads to the page you left, and the Escape key does nothing.</li>
</ul>

<h2 id="traces">What stays on your device</h2>
<p>Your browser keeps a list of the pages you visit. If someone else may look at your device:</p>
<ul class="list">
<li>Use a private window (also called incognito). It forgets the list when you close it. Keep it open until you’ve sent your question: the form you paid for is open only in that window. If you close it before, the way back comes by e-mail, to the address that you gave when you paid.</li>
<li>Or delete the history of today when you’re done.</li>
<li>Keep your twelve words where nobody else looks, and don’t save them in a browser or in notes that other devices share.</li>
<li>Your card statement and receipt say online research. The receipt goes to the e-mail address that you give when you pay, so give one that only you read.</li>
<li>If someone may have put spying software on your device, a private window doesn’t help. Use a device that they have never held.</li>
</ul>

<h2 id="helplines">Who can help you now</h2>
<p>Each number comes from the page beside it. Calls may show up on a phone bill. If your country is missing, we left it out because we weren’t certain.</p>
${renderHelplines(helplines)}
</div>`,
  };
}

function renderHelplines(helplines: readonly Helpline[]): Html {
  return html`<table>
<thead><tr><th scope="col">Country</th><th scope="col">Who answers</th><th scope="col">Number</th><th scope="col">From</th></tr></thead>
<tbody>${helplines.map(renderHelpline)}</tbody>
</table>`;
}

function renderHelpline({ country, who, number, source }: Helpline): Html {
  return html`<tr><th scope="row">${country}</th><td data-label="Who answers">${who}</td><td data-label="Number"><a href="tel:${number.replaceAll(' ', '')}">${number}</a></td><td data-label="From"><a href="${source}" rel="noreferrer">${new URL(source).hostname}</a></td></tr>
`;
}
