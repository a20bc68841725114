/** The frame of every page: head, header, footer and HTTP headers. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SentenceKey } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { ENGLISH, english, SERVED_LANGUAGES } from '#language/languages.ts';
import { listScriptSentences } from '#language/script-sentences.ts';
import { agentPaths } from '#platform/addresses.ts';
import { MARKDOWN_MEDIA_TYPE } from '#platform/http/accept.ts';
import { PART_IDS } from '#wire/page-parts.ts';
import type { Assets } from './assets.ts';
import { negotiateContentCoding, sendEncodedContent } from './content-coding.ts';
import { type Html, html } from './html.ts';
import { MARK } from './mark.ts';
import { compressPublicParts, markPublic, removeMarks } from './public-parts.ts';
import {
  listWorkerPolicies,
  SCRIPT_NAMES,
  type ScriptName,
  WORKER_BY_SCRIPT,
} from './scripts/script-names.ts';
import { renderSentence } from './sentence.ts';

export const HTML_MEDIA_TYPE = 'text/html';
/** The query parameter with which a link chooses a language. */
export const LANGUAGE_PARAMETER = 'language';

/** What all pages of a site share. */
export interface PageFrame {
  /** The address of the site, without a slash at the end. */
  readonly site: string;
  readonly siteName: string;
  readonly maintainer: string;
  readonly operator: { readonly name: string; readonly address: string };
  readonly assets: Assets;
}

export interface HtmlPage {
  readonly title: string;
  readonly main: Html;
  /** Defaults to English. */
  readonly language?: Language;
  readonly status?: number;
  /** For search engines; a page without a description is not indexed. */
  readonly description?: string;
  /** Where programs read it as Markdown; only a page that is the same for everyone has such an address. */
  readonly markdownPath?: string;
  /** Shows no menu: a buyer who writes here needs no other pages, and may be watched. */
  readonly confidential?: boolean;
  /** Leaves the name of the site out of the title, which browsers list in the history. */
  readonly isUnnamed?: boolean;
  /** False for a page that cannot be requested again in another language: it answers a form, or is only in English. */
  readonly hasLanguageChoice?: boolean;
  /** The other origin to which a form on the page finally redirects. */
  readonly formOrigin?: string;
  /** An enhancement for browsers that run scripts; `DEFAULT_SCRIPT` if the page has no other. */
  readonly script?: ScriptName;
}

/** Every page has at least the quick exit. */
const DEFAULT_SCRIPT: ScriptName = 'leave';

/** A site with so many readers that a visit reveals nothing. */
const NEUTRAL_SITE = 'https://www.wikipedia.org/';
/** The page that explains the quick exit and names people who help. */
export const SAFETY_PATH = '/safety';

/** Offers no language choice after a form, whose response would be lost, or on a 404 page, which ignores the choice. */
export function sendPage(reply: FastifyReply, frame: PageFrame, page: HtmlPage): FastifyReply {
  const { method, is404 } = reply.request;
  const isVisit = method === 'GET' && !is404;
  return withPageHeaders(reply, page).send(renderPage(frame, { hasLanguageChoice: isVisit, ...page }));
}

/** Pages stay `no-store`: nothing stays on a shared computer, and no cached page requests a deleted stylesheet. */
export function withPageHeaders(reply: FastifyReply, page: HtmlPage): FastifyReply {
  return reply.code(page.status ?? 200).headers(buildPageHeaders(page));
}

/** What the response depends on besides the address. */
export const PAGE_VARY = {
  page: 'accept-language, cookie',
  readable: 'accept, accept-language, cookie',
} as const;

export function buildPageHeaders(page: HtmlPage) {
  return {
    'content-security-policy': buildContentPolicy(page),
    'content-type': `${HTML_MEDIA_TYPE}; charset=utf-8`,
    'content-language': (page.language ?? ENGLISH).tag,
    vary: page.markdownPath ? PAGE_VARY.readable : PAGE_VARY.page,
  } as const;
}

function buildContentPolicy(page: HtmlPage): string {
  const { formOrigin, script = DEFAULT_SCRIPT } = page;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    // For the scripts that seal, and for tools in a browser that read the documents for agents.
    "connect-src 'self'",
    // Browsers also apply this to redirects after a form, so the payment provider must be listed.
    `form-action 'self'${formOrigin ? ` ${formOrigin}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...listScriptRules(script),
  ].join('; ');
}

/** Only pages that seal or open have a worker; the Trusted Types policy named after it accepts only its URL. */
function listScriptRules(script: ScriptName): string[] {
  if (WORKER_BY_SCRIPT[script] === null) return ["trusted-types 'none'", "script-src 'self'"];
  const policies = listWorkerPolicies(script).join(' ');
  return [`trusted-types ${policies}`, "script-src 'self'", "worker-src 'self'"];
}

export function renderPage(frame: PageFrame, page: HtmlPage): string {
  return removeMarks(renderMarkedPage(frame, page));
}

/** As a `<template>` inside another page, whose script shows it later. */
export function renderPageTemplate(id: string, { title, main }: Pick<HtmlPage, 'title' | 'main'>): Html {
  return html`<template id="${id}" data-title="${title}">${main}</template>`;
}

/** A page for one reader; only the parts that are the same for all readers are compressed. */
export function sendPartlyPublicPage(
  request: FastifyRequest,
  reply: FastifyReply,
  frame: PageFrame,
  page: HtmlPage,
): FastifyReply {
  const marked = renderMarkedPage(frame, page);
  const content = { gzip: compressPublicParts(marked), identity: Buffer.from(removeMarks(marked)) };
  const coding = negotiateContentCoding(request, content);
  return sendEncodedContent(withPageHeaders(reply, page), content, coding);
}

/** Everything around `main` is the same for all readers. */
function renderMarkedPage(frame: PageFrame, page: HtmlPage): string {
  const { siteName, assets } = frame;
  const { title, isUnnamed, description, markdownPath, main } = page;
  const { language = ENGLISH, script = DEFAULT_SCRIPT } = page;
  const descriptionTag = description
    ? html`<meta name="description" content="${description}">`
    : html`<meta name="robots" content="noindex">`;
  const markdownTag = markdownPath
    ? html`<link rel="alternate" type="${MARKDOWN_MEDIA_TYPE}" href="${markdownPath}">\n`
    : null;
  const head = html`<!DOCTYPE html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}${isUnnamed ? null : ` - ${siteName}`}</title>
${descriptionTag}
${markdownTag}<link rel="icon" type="image/svg+xml" href="${assets.icon.path}">
<link rel="apple-touch-icon" href="${assets.touchIcon.path}">
<link rel="stylesheet" href="${assets.stylesheet.path}" integrity="${assets.stylesheet.integrity}">
${renderFontHint(assets)}${renderScriptTags(frame, script)}</head>
<body>
<a class="skip" href="#main">${language.say('frame.skip')}</a>
<p hidden>${renderIndexPointer(language)}</p>
${renderWayOut(language)}
${renderHeader(siteName, language, page)}
<main id="main">
`;
  const foot = html`
</main>
${renderScriptMessages(language, script)}${renderFooter(frame, language)}
</body>
</html>
`;
  return html`${markPublic(head)}${main}${markPublic(foot)}`.toString();
}

/** Without the hint, the font is found only after the stylesheet. On a slow line, hinting both would delay the page. */
function renderFontHint({ fonts: [text] }: Pick<Assets, 'fonts'>): Html | null {
  if (!text) return null;
  return html`<link rel="preload" as="font" type="${text.type}" href="${text.path}" crossorigin>\n`;
}

/** Programs read a page from its top, and many stop before its footer, which has the link for people. */
export function renderIndexPointer(language: Language): Html {
  return html`${renderSentence(language, 'markdown.index', {
    link: (text) => html`<a href="${agentPaths.llms}">${text}</a>`,
  })}`;
}

/** A module does not block the page; pages that seal add a tiny script that does, so no form is sent unsealed. */
function renderScriptTags({ assets }: PageFrame, script: ScriptName): Html {
  const { hold, [script]: module } = assets.scripts.pages;
  const holdTag =
    WORKER_BY_SCRIPT[script] === null
      ? null
      : html`<script src="${hold.path}" integrity="${hold.integrity}"></script>\n`;
  return html`${holdTag}<script type="module" src="${module.path}" integrity="${module.integrity}"></script>\n`;
}

const menu = [
  ['/#prices', 'frame.menu.prices'],
  ['/#how', 'frame.menu.how'],
  ['/privacy', 'frame.menu.privacy'],
  ['/case', 'frame.menu.case'],
] as const;

function renderHeader(
  siteName: string,
  language: Language,
  { confidential = false, hasLanguageChoice = true }: HtmlPage,
): Html {
  const { say } = language;
  return html`<header class="top"><div class="wrap">
<a class="mark" href="/">${MARK} ${siteName}</a>
${confidential ? null : html`<nav aria-label="${say('frame.menu')}"><ul>${menu.map(([href, key]) => html`<li><a href="${href}">${say(key)}</a></li>`)}</ul></nav>`}
${hasLanguageChoice ? renderLanguageChoice(language) : null}</div></header>`;
}

/** Links to the same page with a parameter. The fragment brings the reader back to this place. */
function renderLanguageChoice({ tag, say }: Language): Html {
  const choices = SERVED_LANGUAGES.map((served) => {
    const name = served.say('language.name');
    return served.tag === tag
      ? html`<li><span aria-current="true">${name}</span></li>`
      : html`<li><a href="?${LANGUAGE_PARAMETER}=${served.tag}#${PART_IDS.languages}" lang="${served.tag}" hreflang="${served.tag}" rel="nofollow">${name}</a></li>`;
  });
  return html`<nav class="languages" id="${PART_IDS.languages}" aria-label="${say('frame.languages')}"><ul>${choices}</ul></nav>`;
}

/** A plain link that stays in view; a script also clears the screen and replaces the page in the history. */
function renderWayOut(language: Language): Html {
  const { say } = language;
  const escapeHint = renderSentence(language, 'frame.out.escape', {
    key: (text) => html`<kbd>${text}</kbd>`,
  });
  return html`<nav class="out" aria-label="${say('frame.out')}"><div class="wrap">
<details><summary>${say('frame.out.how')}</summary><div class="note"><p>${say('frame.out.text')}</p><p class="keys">${say('frame.out.keys')}</p><p><a href="${SAFETY_PATH}">${say('frame.out.more')}</a></p></div></details>
<span class="keys">${escapeHint}</span>
<a class="leave" id="${PART_IDS.leave}" href="${NEUTRAL_SITE}" rel="noreferrer">${say('frame.out.leave')}</a>
</div></nav>`;
}

const linksBeforeBuying = [
  ['/what-you-get', 'frame.foot.what_you_get'],
  ['/sample', 'frame.foot.sample'],
  ['/questions', 'frame.foot.questions'],
  ['/refunds', 'frame.foot.refunds'],
  ['/terms', 'frame.foot.terms'],
] as const;

const linksForHelp = [
  ['/privacy', 'frame.foot.privacy'],
  ['/contact', 'contact.title'],
  ['/case', 'find.title'],
  [SAFETY_PATH, 'frame.foot.safety'],
  [agentPaths.llms, 'frame.foot.programs'],
] as const;

function renderFooter({ siteName, operator }: PageFrame, language: Language): Html {
  const { say } = language;
  const runBy = renderSentence(language, 'frame.foot.operator', {
    ...operator,
    link: (text) => html`<a href="/about">${text}</a>`,
  });
  const renderLinks = (links: typeof linksBeforeBuying | typeof linksForHelp) =>
    html`<ul>${links.map(([href, key]) => html`<li><a href="${href}">${say(key)}</a></li>`)}</ul>`;
  return html`<footer class="foot"><div class="wrap">
<div><h2>${siteName}</h2><p>${say('frame.foot.about')}</p><p>${runBy}</p></div>
<div><h2>${say('frame.foot.before')}</h2>${renderLinks(linksBeforeBuying)}</div>
<div><h2>${say('frame.foot.help')}</h2>${renderLinks(linksForHelp)}</div>
</div></footer>`;
}

const sentencesByScript = new Map(
  SCRIPT_NAMES.map((script) => [script, listScriptSentences(script, Object.keys(english) as SentenceKey[])]),
);

/** Null for a script without sentences. */
function renderScriptMessages(language: Language, script: ScriptName): Html | null {
  const keys = sentencesByScript.get(script) ?? [];
  if (keys.length === 0) return null;
  const messages = Object.fromEntries(keys.map((key) => [key, language.getMessage(key)]));
  return html`<template id="${PART_IDS.sentences}">${JSON.stringify(messages)}</template>`;
}
