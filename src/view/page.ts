/** The frame of every page: head, header, footer and HTTP headers. */
import type { FastifyReply } from 'fastify';
import type { Language } from '#language/language.ts';
import { ENGLISH } from '#language/languages.ts';
import { PART_IDS } from '#wire/page-parts.ts';
import type { Assets } from './assets.ts';
import { type Html, html } from './html.ts';
import { renderScriptMessages } from './script-messages.ts';
import type { ScriptName } from './script-names.ts';

export const HTML_MEDIA_TYPE = 'text/html';

/** What all pages of a site share. */
export interface PageFrame {
  readonly siteName: string;
  readonly maintainer: string;
  readonly operator: { readonly name: string; readonly address: string };
  readonly assets: Assets;
}

export interface HtmlPage {
  readonly title: string;
  readonly main: Html;
  /** English, if the page speaks no other language. */
  readonly language?: Language;
  readonly status?: number;
  /** For search engines; a page without a description is not indexed. */
  readonly description?: string;
  /** Shows no menu: whoever writes here has other things in mind, and somebody may be watching. */
  readonly confidential?: boolean;
  /** The other origin to which a form on the page finally redirects. */
  readonly formOrigin?: string;
  /** An enhancement for browsers that run scripts; `DEFAULT_SCRIPT` if the page has no other. */
  readonly script?: ScriptName;
}

/** Every page has at least the way out. */
const DEFAULT_SCRIPT: ScriptName = 'leave';

/** A site with so many readers that a visit reveals nothing. */
const NEUTRAL_SITE = 'https://www.wikipedia.org/';
/** Explains the way out, and names people who help. */
export const SAFETY_PATH = '/safety';

export function sendPage(reply: FastifyReply, frame: PageFrame, page: HtmlPage): FastifyReply {
  return withPageHeaders(reply, page).send(renderPage(frame, page));
}

/**
 * Pages keep the server's `no-store`: nothing stays on a shared computer, and no cached page requests a stylesheet
 * that the next release no longer has.
 */
export function withPageHeaders(reply: FastifyReply, page: HtmlPage): FastifyReply {
  return reply.code(page.status ?? 200).headers(buildPageHeaders(page));
}

export function buildPageHeaders(page: HtmlPage) {
  return {
    'content-security-policy': buildContentPolicy(page),
    'content-type': `${HTML_MEDIA_TYPE}; charset=utf-8`,
  } as const;
}

function buildContentPolicy(page: HtmlPage): string {
  const { formOrigin, script = DEFAULT_SCRIPT } = page;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    // Browsers also apply this to redirects after a form, so the payment provider must be listed.
    `form-action 'self'${formOrigin ? ` ${formOrigin}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...listScriptRules(script),
  ].join('; ');
}

/** Only pages that seal or open have a worker; the Trusted Types policy `sealer` accepts only the worker's URL. */
function listScriptRules(script: ScriptName): string[] {
  if (script === DEFAULT_SCRIPT) return ["trusted-types 'none'", "script-src 'self'"];
  return ['trusted-types sealer', "script-src 'self'", "worker-src 'self'", "connect-src 'self'"];
}

export function renderPage(frame: PageFrame, page: HtmlPage): string {
  const { siteName, assets } = frame;
  const {
    title,
    description,
    main,
    confidential = false,
    language = ENGLISH,
    script = DEFAULT_SCRIPT,
  } = page;
  const descriptionTag = description
    ? html`<meta name="description" content="${description}">`
    : html`<meta name="robots" content="noindex">`;
  return html`<!DOCTYPE html>
<html lang="${language.tag}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - ${siteName}</title>
${descriptionTag}
<link rel="icon" type="image/svg+xml" href="${assets.icon.path}">
<link rel="apple-touch-icon" href="${assets.touchIcon.path}">
<link rel="stylesheet" href="${assets.stylesheet.path}" integrity="${assets.stylesheet.integrity}">
${renderScriptTags(frame, script)}</head>
<body>
<a class="skip" href="#main">${language.say('frame.skip')}</a>
${wayOut}
${renderHeader(siteName, confidential)}
<main id="main">
${main}
</main>
${script === DEFAULT_SCRIPT ? null : renderScriptMessages(language)}${renderFooter(frame)}
</body>
</html>
`.toString();
}

/**
 * A module runs after the page is parsed, so it does not delay the page. A page that seals has a second, tiny script,
 * which does delay it: no form may be submitted before the module can seal it.
 */
function renderScriptTags({ assets }: PageFrame, script: ScriptName): Html {
  const { hold, [script]: module } = assets.scripts.pages;
  const holdTag =
    script === DEFAULT_SCRIPT
      ? null
      : html`<script src="${hold.path}" integrity="${hold.integrity}"></script>\n`;
  return html`${holdTag}<script type="module" src="${module.path}" integrity="${module.integrity}"></script>\n`;
}

const mark = html`<svg viewBox="0 0 28 28" aria-hidden="true" focusable="false"><path class="shape" d="M2 6.5A1.5 1.5 0 0 1 3.5 5h7l2.5 3h11.5A1.5 1.5 0 0 1 26 9.5V23a1.5 1.5 0 0 1-1.5 1.5h-21A1.5 1.5 0 0 1 2 23z"/><path class="stroke" stroke-width="2.2" d="M7 14h14M7 18.5h8"/></svg>`;

const menu = [
  ['/#prices', 'Prices'],
  ['/#how', 'How it works'],
  ['/privacy', 'Privacy'],
  ['/case', 'Your case'],
] as const;

function renderHeader(siteName: string, confidential: boolean): Html {
  return html`<header class="top"><div class="wrap">
<a class="mark" href="/">${mark} ${siteName}</a>
${confidential ? null : html`<nav aria-label="Main"><ul>${menu.map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`)}</ul></nav>`}
</div></header>`;
}

/**
 * A plain link; with a script, following it also clears the screen and replaces the page in the browser's history. It
 * stands above the header, because it stays on the screen however far one scrolls.
 */
const wayOut = html`<nav class="out" aria-label="Way out"><div class="wrap">
<details><summary>How leaving works</summary><div class="note"><p>The button clears the screen at once and opens Wikipedia. Back then shows the page before this one. Your browser’s history stays.</p><p class="keys">Pressing Escape three times does the same.</p><p><a href="${SAFETY_PATH}">More about leaving, traces and helplines</a></p></div></details>
<span class="keys">or press <kbd>Esc</kbd> three times</span>
<a class="leave" id="${PART_IDS.leave}" href="${NEUTRAL_SITE}" rel="noreferrer">Leave this page</a>
</div></nav>`;

function renderFooter({ siteName, operator }: PageFrame): Html {
  return html`<footer class="foot"><div class="wrap">
<div><h2>${siteName}</h2><p>Confidential inquiries from open sources, for lawful purposes only.</p><p>Run by ${operator.name}, ${operator.address}. <a href="/about">Who we are</a></p></div>
<div><h2>Before you buy</h2><ul><li><a href="/what-you-get">What you get</a></li><li><a href="/sample">A sample answer</a></li><li><a href="/questions">Questions and answers</a></li><li><a href="/refunds">Refunds</a></li><li><a href="/terms">Terms</a></li></ul></div>
<div><h2>Help</h2><ul><li><a href="/privacy">What we keep and who can read it</a></li><li><a href="/contact">Write to us</a></li><li><a href="/case">Open your case</a></li><li><a href="${SAFETY_PATH}">Stay safe: leaving, traces, helplines</a></li></ul></div>
</div></footer>`;
}
