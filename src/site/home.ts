/** The home page: what is sold, with its Buy buttons, how it works, what is stored, and what is refused. */
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { getLocalContent, type SiteContent } from '#content/site-content.ts';
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { formatSpan } from '#language/timed-text.ts';
import { startCheckout } from '#payments/checkout.ts';
import { DELIVERY_HOURS, priceCurrency, type TierName, tiers } from '#payments/tiers.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { serializeLinkHeader } from '#platform/api-links.ts';
import { RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import type { App } from '#platform/http/app-type.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { markPurchase } from '#site/inquiry/form-cookie.ts';
import { createLinedPages } from '#site/inquiry/open-form-line.ts';
import { type FormFieldError, formatErrorTitle, renderErrorSummary } from '#view/form.ts';
import { type Html, html, renderLinkedData } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, SAFETY_PATH, sendPage } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { createReadablePage } from '#view/static-page.ts';
import { formatDelivery, formatDollars, TIER_KEYS } from './tier-text.ts';

const HOME_PATH = '/';

/** Two versions each, because the provider may refuse our key at any time and accept it again later. */
export function addHomeRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'content' | 'paymentProvider' | 'keyring' | 'store'>,
  frame: PageFrame,
): void {
  const createHomePages = (selling: boolean) =>
    createLinedPages(services, (addLine) =>
      createReadablePage(frame, HOME_PATH, (language) =>
        addLine(renderHomePage(services, language, { selling }), language),
      ),
    );
  const [open, closed] = [createHomePages(true), createHomePages(false)];
  const getPages = () => (services.paymentProvider.configured ? open : closed);
  addPublicPageRoutes(app, frame, {
    route: HOME_PATH,
    getPage: async (request) => await getPages().preparePlain(request),
    getReaderPage: async (request) => await getPages().prepareForBrowser(request),
    links: serializeLinkHeader(services.addresses),
  });
}

/** The Buy buttons: plain forms that redirect to the payment provider's page. Need their own scope for form posts. */
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

function renderHomePage(
  { addresses, content, paymentProvider }: Pick<Services, 'addresses' | 'content' | 'paymentProvider'>,
  language: Language,
  { selling, problems = [] }: { readonly selling: boolean; readonly problems?: readonly FormFieldError[] },
): HtmlPage {
  const { say } = language;
  const hasProblems = problems.length > 0;
  const hours = DELIVERY_HOURS;
  const description = say('home.description', { hours, days: DEFAULT_KEEP_DAYS });
  return {
    status: hasProblems ? 422 : 200,
    title: hasProblems ? formatErrorTitle(say, say('home.choose.title')) : say('home.title', { hours }),
    description,
    language,
    formOrigin: paymentProvider.pagesOrigin,
    main: html`${renderNotice(language, selling, paymentProvider.livemode)}${hasProblems ? renderChoiceError(say, problems) : renderHero(language)}
${renderPrices(language, selling, content)}
${renderProcess(say)}
<section class="part white" id="kept"><div class="wrap two">
${renderStorage(say)}
${renderRefusals(say)}
</div></section>
${renderAgentSection(language, addresses)}
${selling ? renderOffers(language, addresses, description) : null}`,
  };
}

function renderChoiceError(say: Say, problems: readonly FormFieldError[]): Html {
  return html`<div class="wrap text">${renderErrorSummary(say, problems)}<h1>${say('home.choose')}</h1></div>`;
}

function renderNotice(language: Language, selling: boolean, live: boolean): Html | null {
  if (!selling) return html`<div class="notice"><p class="wrap">${language.say('home.closed')}</p></div>`;
  if (live) return null;
  const test = renderSentence(language, 'home.test', { strong: renderStrong });
  return html`<div class="notice"><p class="wrap">${test}</p></div>`;
}

const LOWEST_PRICE = Math.min(...tiers.map(({ price }) => price));

function renderHero(language: Language): Html {
  const { say } = language;
  const danger = renderSentence(language, 'home.hero.danger', {
    link: (text) => html`<a href="${SAFETY_PATH}#helplines">${text}</a>`,
  });
  return html`<section class="hero"><div class="wrap">
<div>
<h1>${say('home.hero', { time: formatSpan(say, DELIVERY_HOURS) })}</h1>
<p class="lead">${say('home.hero.lead')}</p>
<div class="acts"><a class="button" href="#prices">${say('home.hero.prices', { price: formatDollars(say, LOWEST_PRICE) })}</a> <a href="/privacy">${say('home.hero.privacy')}</a></div>
<p class="small">${danger}</p>
<p class="small"><a href="/about">${say('home.hero.about')}</a> · <a href="/sample">${say('frame.foot.sample')}</a> · <a href="/questions">${say('frame.foot.questions')}</a></p>
</div>
${renderSheet(say)}
</div></section>`;
}

/** A case as the server sees it. */
function renderSheet(say: Say): Html {
  const renderLocked = (size: string) =>
    html`<span class="bar ${size}"></span><span class="unseen">${say('home.sheet.locked')}</span>`;
  return html`<figure class="sheet">
<p class="label">${say('home.sheet')}</p>
<dl>
<div><dt>${say('home.sheet.question')}</dt><dd>${renderLocked('long')}</dd></div>
<div><dt>${say('home.sheet.files')}</dt><dd>${renderLocked('')}</dd></div>
<div><dt>${say('home.sheet.messages')}</dt><dd>${renderLocked('short')}</dd></div>
<div><dt>${say('home.sheet.answer')}</dt><dd>${renderLocked('long')}</dd></div>
<div><dt>${say('home.sheet.service')}</dt><dd>${say('home.sheet.service.text')}</dd></div>
<div><dt>${say('home.sheet.due')}</dt><dd>${say('home.sheet.due.text', { hours: DELIVERY_HOURS })}</dd></div>
</dl>
<figcaption class="small">${say('home.sheet.note')}</figcaption>
</figure>`;
}

function renderPrices(language: Language, selling: boolean, content: SiteContent): Html {
  const { say } = language;
  const { tierItems, pages } = getLocalContent(content, language);
  const { lang } = pages['what-you-get'];
  const hint = renderSentence(language, 'home.prices.private', {
    link: (text) => html`<a href="${SAFETY_PATH}#traces">${text}</a>`,
  });
  const before = renderSentence(language, 'home.prices.before', {
    get: (text) => html`<a href="/what-you-get">${text}</a>`,
    refunds: (text) => html`<a href="/refunds">${text}</a>`,
    terms: (text) => html`<a href="/terms">${text}</a>`,
  });
  return html`<section class="part white" id="prices"><div class="wrap">
<h2>${say('home.prices')}</h2>
<details class="help"><summary>${say('home.prices.ask')}</summary>
<p class="intro">${hint}</p>
<p class="intro">${say('home.prices.mail', { minutes: RETURN_LINK_MINUTES })}</p>
<p class="intro">${say('home.prices.pay')}</p>
<p class="intro">${before}</p></details>
<ul class="tiers">${tiers.map((tier) => renderTierCard(language, tier, { lang, items: tierItems[tier.name](), selling }))}</ul>
</div></section>`;
}

/** `items` is what the tier contains, in the language `lang`. */
function renderTierCard(
  { say, tag }: Language,
  { name, price, receiptName }: (typeof tiers)[number],
  {
    items,
    lang,
    selling,
  }: { readonly items: readonly string[]; readonly lang: string; readonly selling: boolean },
): Html {
  // Explains the name, if it is not in the reader's language.
  const gloss = say(`tier.${TIER_KEYS[name]}.gloss`);
  return html`<li class="tier"><h3>${name}${gloss && html` <span class="gloss">${gloss}</span>`}</h3><div class="folder">
<p class="ask">${say(`tier.${TIER_KEYS[name]}.ask`)}</p>
<div class="pay"><p class="price">${formatDollars(say, price)}</p><p class="delivery">${say('tier.answered', { delivery: formatDelivery(say, name) })}<br><span>${say('tier.once')}</span></p></div>
<p class="about">${say(`tier.${TIER_KEYS[name]}.about`)}</p>
<ul class="list" lang="${lang === tag ? null : lang}">${items.map((item) => html`<li>${item}</li>`)}</ul>
<p class="small called">${say('tier.called', { name: receiptName })}</p>
<form method="post" action="/buy" toolname="${selling ? `buy_${TIER_KEYS[name]}` : null}" tooldescription="${selling ? say('tier.tool', { tier: name, price: formatDollars(say, price) }) : null}"><input type="hidden" name="tier" value="${name}"><button class="button" type="submit" ?disabled="${!selling}">${say('tier.buy', { tier: name })}</button></form>
</div></li>
`;
}

function renderProcess(say: Say): Html {
  const steps = [
    [say('home.how.pay.when'), say('home.how.pay'), say('home.how.pay.text')],
    [say('home.how.tell.when'), say('home.how.tell'), say('home.how.tell.text')],
    [say('home.how.read.when', { hours: DELIVERY_HOURS }), say('home.how.read'), say('home.how.read.text')],
    [say('home.how.end.when', { days: DEFAULT_KEEP_DAYS }), say('home.how.end'), say('home.how.end.text')],
  ];
  return html`<section class="part" id="how"><div class="wrap">
<h2>${say('home.how')}</h2>
<ol class="line">
${steps.map(([when, title, text]) => html`<li><p class="when">${when}</p><h3>${title}</h3><p>${text}</p></li>\n`)}</ol>
</div></section>`;
}

function renderStorage(say: Say): Html {
  const [who, end] = [say('home.kept.who'), say('home.kept.end')];
  const after = say('home.kept.after', { days: DEFAULT_KEEP_DAYS });
  const rows = [
    [say('home.kept.question'), say('home.kept.two_sides'), after],
    [say('home.kept.messages'), say('home.kept.two_sides'), after],
    [say('home.kept.order'), say('home.kept.order.who'), say('home.kept.order.end')],
    [say('home.kept.card'), say('home.kept.card.who'), say('home.kept.card.end')],
  ];
  return html`<div>
<h2>${say('home.kept')}</h2>
<table>
<thead><tr><th scope="col">${say('home.kept.what')}</th><th scope="col">${who}</th><th scope="col">${end}</th></tr></thead>
<tbody>
${rows.map(([what, reader, time]) => html`<tr><th scope="row">${what}</th><td data-label="${who}">${reader}</td><td data-label="${end}">${time}</td></tr>\n`)}</tbody>
</table>
<p class="intro"><a href="/privacy">${say('home.kept.all')}</a></p>
</div>`;
}

const REFUSALS = ['breaking', 'hiding', 'watching', 'harm'] as const;

function renderRefusals(say: Say): Html {
  return html`<div>
<h2>${say('home.refused')}</h2>
<ul class="not">
${REFUSALS.map((key) => html`<li><h3>${say(`home.refused.${key}`)}</h3><p>${say(`home.refused.${key}.text`)}</p></li>\n`)}</ul>
</div>`;
}

function renderAgentSection(language: Language, { api, mcp }: PublicAddresses): Html {
  const text = renderSentence(language, 'home.agents.text', {
    api,
    mcp,
    code: (address) => html`<span class="code">${address}</span>`,
    docs: (name) => html`<a href="${agentPaths.docs}">${name}</a>`,
    register: (name) => html`<a href="${agentPaths.instructions}">${name}</a>`,
  });
  return html`<section class="part" id="agents"><div class="wrap">
<details class="help"><summary>${language.say('home.agents')}</summary><p class="intro">${text}</p></details>
</div></section>`;
}

/** Uses the names and prices of the pricing operation. */
function renderOffers({ say }: Language, { site }: PublicAddresses, description: string): Html {
  return renderLinkedData({
    '@context': 'https://schema.org',
    '@type': 'Service',
    name: say('home.title', { hours: DELIVERY_HOURS }),
    description,
    url: `${site}/`,
    termsOfService: `${site}/terms`,
    offers: tiers.map(({ name, price }) => ({
      '@type': 'Offer',
      name,
      description: say(`tier.${TIER_KEYS[name]}.about`),
      price,
      priceCurrency: priceCurrency.toUpperCase(),
      url: `${site}/#prices`,
    })),
  });
}
