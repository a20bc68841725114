/** The home page: what is sold, how it works, what is stored, and what is refused. */
import { DEFAULT_KEEP_DAYS } from '#cases/retention.ts';
import type { SiteContent } from '#content/site-content.ts';
import { DELIVERY_HOURS, type TierName, tiers } from '#payments/tiers.ts';
import { WAY_BACK_MINUTES } from '#payments/way-back.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { serializeLinkHeader } from '#platform/api-links.ts';
import { HOUR_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app.ts';
import { formatDurationInWords } from '#platform/spelled-duration.ts';
import type { Services } from '#services.ts';
import { createLinedPages, prepareLinedPage } from '#site/inquiry/open-form-line.ts';
import { sendStaticPage } from '#view/document.ts';
import { type FormFieldError, renderErrorSummary } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, SAFETY_PATH } from '#view/page.ts';

/** Two versions each, because the provider may refuse our key at any time and accept it again later. */
export function addHomeRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'content' | 'gateway' | 'keyring' | 'store'>,
  frame: PageFrame,
): void {
  const pages = {
    open: createLinedPages(frame, () => renderHomePage(services, { selling: true })),
    closed: createLinedPages(frame, () => renderHomePage(services, { selling: false })),
  };
  const links = serializeLinkHeader(services.addresses);
  app.get('/', { config: { access: 'public', produces: HTML_MEDIA_TYPE } }, async (request, reply) => {
    const version = pages[services.gateway.configured ? 'open' : 'closed'];
    const page = await prepareLinedPage(services, version, request);
    return sendStaticPage(request, reply.header('link', links), page);
  });
}

interface HomeState {
  readonly selling: boolean;
  readonly problems?: readonly FormFieldError[];
}

export function renderHomePage(
  services: Pick<Services, 'addresses' | 'content' | 'gateway'>,
  { selling, problems = [] }: HomeState,
): HtmlPage {
  const { addresses, content, gateway } = services;
  const hasProblems = problems.length > 0;
  return {
    status: hasProblems ? 422 : 200,
    title: hasProblems
      ? 'Error: choose a service'
      : `Confidential inquiries, answered within ${DELIVERY_HOURS} hours`,
    description: `Ask one question in confidence about a person, an account or a message. An investigator answers in writing within ${DELIVERY_HOURS} hours, and the file is erased ${DEFAULT_KEEP_DAYS} days later.`,
    formOrigin: gateway.pagesOrigin,
    main: html`${renderNotice(selling, gateway.livemode)}${hasProblems ? renderChoiceError(problems) : hero}
${renderPrices(selling, content)}
${processSection}
${storageSection}
${renderAgentSection(addresses)}`,
  };
}

function renderChoiceError(problems: readonly FormFieldError[]): Html {
  return html`<div class="wrap text">${renderErrorSummary(problems)}<h1>Choose a service</h1></div>`;
}

function renderNotice(selling: boolean, live: boolean): Html | null {
  if (!selling)
    return html`<div class="notice"><p class="wrap">Payments are closed at the moment, so nothing can be bought. A case that is already open is not affected.</p></div>`;
  if (live) return null;
  return html`<div class="notice"><p class="wrap"><b>Test site.</b> No payment here is real, and no investigator waits behind it.</p></div>`;
}

const LOWEST_PRICE = Math.min(...tiers.map(({ price }) => price));

const renderRedactedBar = (size: string) =>
  html`<span class="bar ${size}"></span><span class="unseen">locked</span>`;

const hero = html`<section class="hero"><div class="wrap">
<div>
<h1>Ask in confidence. Know in ${formatDurationInWords(DELIVERY_HOURS * HOUR_MS)}.</h1>
<p class="lead">Someone wrote to you, pays you, loves you or threatens you, and you need to know who they are. Tell us what you have. An investigator looks into it and answers in writing.</p>
<div class="acts"><a class="button" href="#prices">See the three services, from $${LOWEST_PRICE}</a><a href="/privacy">How your story is protected</a></div>
<p class="small">In danger right now? Call your local emergency number first: we work in hours, not in minutes. <a href="${SAFETY_PATH}#helplines">Helplines by country</a></p>
<p class="small"><a href="/about">Who we are</a> · <a href="/sample">A sample answer</a> · <a href="/questions">Questions and answers</a></p>
</div>
<figure class="sheet">
<p class="label">Your case, as our server holds it</p>
<dl>
<div><dt>Your question</dt><dd>${renderRedactedBar('long')}</dd></div>
<div><dt>Your files</dt><dd>${renderRedactedBar('')}</dd></div>
<div><dt>Messages</dt><dd>${renderRedactedBar('short')}</dd></div>
<div><dt>The answer</dt><dd>${renderRedactedBar('long')}</dd></div>
<div><dt>Service</dt><dd>your choice</dd></div>
<div><dt>Due</dt><dd>${DELIVERY_HOURS} hours after sending</dd></div>
</dl>
<figcaption class="small">What is blacked out here is locked before it leaves your browser. The keys are with you and our investigators, not with the server.</figcaption>
</figure>
</div></section>`;

const tierTexts: Readonly<Record<TierName, { readonly ask: string; readonly about: string }>> = {
  Trace: {
    ask: 'Where does this lead?',
    about: 'For one starting point: an account, a phone number, an e-mail address or a message.',
  },
  Dossier: {
    ask: 'Can I trust this person?',
    about: 'For one person or one business, and a call to talk the answer through.',
  },
  'Deep Sweep': {
    ask: 'How far does this go?',
    about: 'For several people, accounts or places that seem to belong together.',
  },
};

function renderPrices(selling: boolean, { tierItems }: Pick<SiteContent, 'tierItems'>): Html {
  return html`<section class="part white" id="prices"><div class="wrap">
<h2>Three services, each at one price</h2>
<p class="intro">You pay once, on the page of our payment provider, and ask your question afterwards. Your card number never reaches us, and your receipt calls it online research.</p>
<p class="intro">If you haven’t sent your question ${WAY_BACK_MINUTES} minutes after you paid, we send one email with the way back to the form, to the address you give when you pay. It doesn’t say what you bought. If other people read your email, give an address that only you can open.</p>
<p class="intro">Does someone else use this device? Open this page in a private window before you pay, and keep it open until you’ve sent your question. <a href="${SAFETY_PATH}#traces">What stays on your device</a></p>
<p class="intro">Before you buy: <a href="/what-you-get">what you get</a>, <a href="/refunds">when you get your money back</a>, also if we decline your question, and our <a href="/terms">terms</a>.</p>
<ul class="tiers">${tiers.map((tier) => renderTierCard(tier, tierItems[tier.name](), selling))}</ul>
</div></section>`;
}

function renderTierCard(
  { name, price, delivery, receiptName }: (typeof tiers)[number],
  items: readonly string[],
  selling: boolean,
): Html {
  const { ask, about } = tierTexts[name];
  return html`<li class="tier"><h3>${name}</h3><div class="folder">
<p class="ask">${ask}</p>
<p class="about">${about}</p>
<ul class="list">${items.map((item) => html`<li>${item}</li>`)}</ul>
<div class="pay"><p class="price">$${price}</p><p class="delivery">Answered in ${delivery} <span>US dollars, paid once</span></p></div>
<p class="small called">The pay page calls it “${receiptName}”.</p>
<form method="post" action="/buy"><input type="hidden" name="tier" value="${name}"><button class="button" type="submit" ?disabled="${!selling}">Buy ${name}</button></form>
</div></li>
`;
}

const processSection = html`<section class="part" id="how"><div class="wrap">
<h2>What happens, and when</h2>
<ol class="line">
<li><p class="when">First</p><h3>Choose and pay</h3><p>You need no account. After paying you come straight back to our form.</p></li>
<li><p class="when">A few minutes</p><h3>Tell us your question</h3><p>Say as much or as little as you like. You are given twelve words; they are your only way back in.</p></li>
<li><p class="when">Within ${DELIVERY_HOURS} hours</p><h3>Read the answer</h3><p>Return with your twelve words to follow the case, to write to us and to read what was found.</p></li>
<li><p class="when">${DEFAULT_KEEP_DAYS} days after the answer</p><h3>The file is erased</h3><p>Question, files, messages and answer are destroyed, unless you ask us to keep them longer.</p></li>
</ol>
</div></section>`;

const storageSection = html`<section class="part white" id="kept"><div class="wrap two">
<div>
<h2>What we keep</h2>
<table>
<thead><tr><th scope="col">What</th><th scope="col">Who can read it</th><th scope="col">When it goes</th></tr></thead>
<tbody>
<tr><th scope="row">Your question and files</th><td data-label="Read by">You and our investigators</td><td data-label="Goes">${DEFAULT_KEEP_DAYS} days after the answer</td></tr>
<tr><th scope="row">Messages and the answer</th><td data-label="Read by">You and our investigators</td><td data-label="Goes">${DEFAULT_KEEP_DAYS} days after the answer</td></tr>
<tr><th scope="row">Your order</th><td data-label="Read by">We and the payment provider</td><td data-label="Goes">Stays in our accounts, without a link to your case</td></tr>
<tr><th scope="row">Your card</th><td data-label="Read by">The payment provider</td><td data-label="Goes">We never have it</td></tr>
</tbody>
</table>
<p class="intro"><a href="/privacy">All of it, and what could still go wrong</a></p>
</div>
<div>
<h2>What we refuse</h2>
<ul class="not">
<li><h3>Breaking in</h3><p>We read what is open to see. No passwords, no devices, no stolen data.</p></li>
<li><h3>Finding people who hide to be safe</h3><p>If someone got away from danger, we will not look for them.</p></li>
<li><h3>Watching or approaching anyone</h3><p>No live locations, and no contact with the person you ask about.</p></li>
<li><h3>Helping to do harm</h3><p>You confirm that your purpose is lawful. A case that looks otherwise is declined.</p></li>
</ul>
</div>
</div></section>`;

function renderAgentSection({ api }: PublicAddresses): Html {
  return html`<section class="part" id="agents"><div class="wrap">
<h2>For software agents</h2>
<p class="intro">A program can buy the same services at the same prices. The API is at <span class="code">${api}</span>; it speaks JSON, and its errors say what to do. <a href="${agentPaths.docs}">The API reference</a> has every operation, <a href="${agentPaths.instructions}">auth.md</a> tells how to register.</p>
</div></section>`;
}
