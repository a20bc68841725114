/** What crawlers and scanners read first: robots.txt (RFC 9309), sitemap.xml, llms.txt and security.txt (RFC 9116). */
import { CHAPTERS } from '#agents/reference/chapters.ts';
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { CONTENT_PAGES, type SiteContent } from '#content/site-content.ts';
import { ENGLISH } from '#language/languages.ts';
import { DELIVERY_HOURS, tiers } from '#payments/tiers.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { listApiLinks } from '#platform/api-links.ts';
import { RELEASE_EXPIRES_AT } from '#platform/config/version.ts';
import type { App } from '#platform/http/app-type.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { addPublicDocumentRoutes, type DescribedSite } from './public-document.ts';

const SECURITY_PATH = '/.well-known/security.txt';
const publicPages: readonly string[] = [
  '/',
  ...CONTENT_PAGES.map((name) => `/${name}`),
  '/contact',
  agentPaths.docs,
  ...CHAPTERS.map(({ path }) => path),
];
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

/** `readSteps` reads the guide from a question to its finding. */
export function addCrawlerRoutes(
  app: App,
  site: DescribedSite,
  content: SiteContent,
  readSteps: () => Promise<string>,
): void {
  const { addresses } = site;
  const plain = 'text/plain; charset=utf-8';
  for (const [path, type, createText] of [
    ['/robots.txt', plain, () => buildRobotsTxt(addresses)],
    ['/sitemap.xml', 'application/xml', () => buildSitemap(addresses)],
    [agentPaths.llms, plain, async () => buildLlmsTxt(site, content, await readSteps())],
    [SECURITY_PATH, plain, () => buildSecurityTxt(site)],
  ] as const)
    addPublicDocumentRoutes(app, { path, type, createText });
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

function buildSecurityTxt({ addresses: { site }, maintainer }: DescribedSite): string {
  return `Contact: mailto:${maintainer}
Expires: ${toIsoTime(RELEASE_EXPIRES_AT)}
Preferred-Languages: en
Canonical: ${site}${SECURITY_PATH}
`;
}

function buildLlmsTxt({ addresses, siteName }: DescribedSite, content: SiteContent, steps: string): string {
  const { catalog, llmsFull, mcp, serverCard } = addresses;
  const tierList = tiers
    .map(({ name, price, delivery }) => `- ${name}: ${price} USD, ${delivery}`)
    .join('\n');
  const guides = listApiLinks(addresses).flatMap(({ href, title }) => {
    const [name, more] = title?.split(': ') ?? [];
    return name === undefined ? [] : `- [${name}](${href})${more === undefined ? '' : `: ${more}`}`;
  });
  return `# ${siteName}

> Confidential inquiries using public information, for lawful purposes only. One question about a person, an account or a
> message is answered in writing within ${DELIVERY_HOURS} hours. Questions and findings are sealed before they are stored, and purged
> ${DEFAULT_KEEP_DAYS} days after the delivery.

## What is sold

${tierList}

## For agents

${guides.join('\n')}

auth.md, the skill and sealing.md in one: ${llmsFull}. Every document about the API, as a linkset: ${catalog}

The reference has a page for each group of operations:

${CHAPTERS.map(({ path, title }) => `- [${title}](${addresses.markdown(path)})`).join('\n')}

For clients of the Model Context Protocol, the same operations as tools: ${mcp}, with its card at ${serverCard}

With a token, from a question to its finding:

${steps}
## Pages for people

As Markdown; without \`.md\` they are pages for a browser, in the language that it asks for.

${listPages(addresses, content).join('\n')}
`;
}

/** Lists each page under its own title, and the home page under the heading of its prices. */
function listPages({ markdown }: PublicAddresses, { pages }: SiteContent): string[] {
  const { say } = ENGLISH;
  return [
    `- [${say('home.prices')}](${markdown('/')}): ${say('home.title', { hours: DELIVERY_HOURS })}`,
    ...CONTENT_PAGES.map(
      (name) => `- [${pages[name].title}](${markdown(`/${name}`)}): ${say(`content.${name}`)}`,
    ),
    `- [${say('contact.title')}](${markdown('/contact')})`,
  ];
}
