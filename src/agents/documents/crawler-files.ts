/** The files that crawlers read first: robots.txt (RFC 9309), sitemap.xml and llms.txt. */
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { CONTENT_PAGES, type SiteContent } from '#content/site-content.ts';
import { ENGLISH } from '#language/languages.ts';
import { DELIVERY_HOURS, tiers } from '#payments/tiers.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { addPublicDocumentRoutes } from './public-document.ts';

const publicPages = ['/', ...CONTENT_PAGES.map((name) => `/${name}`), '/contact', agentPaths.docs] as const;
/** Pages of a single case or payment, and endpoints that take credentials. */
const privatePaths = [
  '/inquiry',
  '/case',
  '/buy',
  '/sign-in',
  '/permissions',
  '/agents',
  '/oauth2',
  '/hcgi',
] as const;
const aiAgents = [
  'GPTBot',
  'OAI-SearchBot',
  'ChatGPT-User',
  'ClaudeBot',
  'Claude-Web',
  'Google-Extended',
  'CCBot',
  'PerplexityBot',
  'Applebot-Extended',
  'meta-externalagent',
] as const;

export function addCrawlerRoutes(
  app: App,
  { addresses, content }: Pick<Services, 'addresses' | 'content'>,
  siteName: string,
): void {
  const plain = 'text/plain; charset=utf-8';
  addPublicDocumentRoutes(app, {
    path: '/robots.txt',
    type: plain,
    createText: () => buildRobotsTxt(addresses),
  });
  addPublicDocumentRoutes(app, {
    path: '/sitemap.xml',
    type: 'application/xml',
    createText: () => buildSitemap(addresses),
  });
  addPublicDocumentRoutes(app, {
    path: agentPaths.llms,
    type: plain,
    createText: () => buildLlmsTxt(addresses, siteName, content),
  });
}

function buildRobotsTxt({ site, apiPath }: PublicAddresses): string {
  const agents = ['*', ...aiAgents].map((name) => `User-agent: ${name}`);
  const rules = [...privatePaths, apiPath].map((path) => `Disallow: ${path}`);
  return `${[
    ...agents,
    'Content-Signal: search=yes, ai-input=yes, ai-train=no',
    ...rules,
    'Allow: /',
    '',
    `Sitemap: ${site}/sitemap.xml`,
  ].join('\n')}\n`;
}

function buildSitemap({ site }: PublicAddresses): string {
  const urls = publicPages.map((path) => `  <url><loc>${site}${path}</loc></url>\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls}</urlset>
`;
}

function buildLlmsTxt(
  addresses: PublicAddresses,
  siteName: string,
  content: Pick<SiteContent, 'pages'>,
): string {
  const { api, openapi, registration, sealing, sealingVectors, catalog, skill, mcp, serverCard } = addresses;
  const tierList = tiers
    .map(({ name, price, delivery }) => `- ${name}: ${price} USD, ${delivery}`)
    .join('\n');
  return `# ${siteName}

> Confidential inquiries using public information, for lawful purposes only. One question about a person, an account or a
> message is answered in writing within ${DELIVERY_HOURS} hours. Questions and findings are sealed before they are stored, and purged
> ${DEFAULT_KEEP_DAYS} days after the delivery.

A person completes every payment on the page of the payment provider. A program can do everything else.

## What is sold

${tierList}

## For agents

- [Access for agents](${registration}): discovery, registration, tokens, buying, submitting, following a case
- [Sealing](${sealing}): everything that is needed to seal an inquiry and open its finding, in any language
- [A skill](${skill}): the steps from a question to its finding, for a model
- [API reference](${addresses.markdown(agentPaths.docs)}): every operation, with examples

For programs, as JSON: the API described in OpenAPI at ${openapi}, test vectors for sealing at ${sealingVectors}, the
addresses of everything at ${api} and, as a linkset, at ${catalog}

For clients of the Model Context Protocol, the same operations as tools: ${mcp}, with its card at ${serverCard}

## Pages for people

As Markdown; without \`.md\` they are pages for a browser, in the language that it asks for.

${listPages(addresses, content).join('\n')}
`;
}

/** Under the names that the pages have. */
function listPages({ markdown }: PublicAddresses, { pages }: Pick<SiteContent, 'pages'>): string[] {
  const { say } = ENGLISH;
  return [
    `- [${say('home.prices')}](${markdown('/')}): ${say('home.title', { hours: DELIVERY_HOURS })}`,
    ...CONTENT_PAGES.map(
      (name) => `- [${pages[name].title}](${markdown(`/${name}`)}): ${say(`content.${name}`)}`,
    ),
    `- [${say('contact.title')}](${markdown('/contact')})`,
  ];
}
