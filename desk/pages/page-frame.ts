/** The frame of the desk's pages: head, top bar, strips, keys, and the parts that several pages have. */
import type { DeskAssets } from '#desk/loopback/desk-assets.ts';
import {
  type BrowserVisit,
  DESK_NAV,
  type DeskFrameFacts,
  type DeskNavName,
  type DeskPage,
  type DeskRefusal,
} from '#desk/loopback/page-route.ts';
import { formatCount } from '#desk/model/case-queue.ts';
import { formatClockTime } from '#desk/model/desk-time.ts';
import { type Html, html } from '#view/html.ts';
import { MARK } from '#view/mark.ts';
import { renderDocumentHead } from './plain-page.ts';
import { renderKeys } from './shortcuts-overlay.ts';

const NAV_WORDS: Readonly<Record<DeskNavName, string>> = {
  queue: 'Queue',
  contact: 'Contact',
  agents: 'Agents',
  orders: 'Orders',
  people: 'People',
  numbers: 'Numbers',
  log: 'Log',
};

/** The first child of every posted form. Browsers do not send the method `dialog`: the script posts after a proof. */
export function renderFormToken({ formToken }: Pick<BrowserVisit, 'formToken'>): Html {
  return html`<input type="hidden" name="token" value="${formToken}">`;
}

/** The parts before and after `main`, so that a page can be sent in parts. */
export function renderFrame(
  page: DeskPage,
  assets: DeskAssets,
  visit: BrowserVisit,
  facts: DeskFrameFacts,
): { head: Html; foot: Html } {
  const head = html`${renderHead(toPageTitle(page), assets)}
<body class="${page.kind}" data-single-keys="${visit.hasSingleKeys ? null : 'off'}" data-ahead="${facts.clockAhead}" data-news="${facts.newsShown}">
<a class="skip" href="#main">Skip to main content</a>
<header class="top">
<a class="mark" href="/queue" aria-keyshortcuts="${page.nav === 'queue' ? null : 'Escape'}">${MARK} Desk</a>
<div class="menu" id="menu" popover>
${renderNav(page.nav, facts)}
${renderSearch(visit)}
<div class="me">
<button class="button plain little" type="button" popovertarget="keys" aria-keyshortcuts="?"><span class="word">Keys</span> <kbd aria-hidden="true">?</kbd></button>
<form method="dialog" action="/lock">${renderFormToken(visit)}<button class="button quiet little" type="submit" aria-keyshortcuts="Shift+L">Lock</button></form>
</div>
</div>
${renderPulse(visit, facts)}
<button class="button quiet little open-menu" type="button" popovertarget="menu">Menu</button>
</header>
<p class="unseen" id="news" role="status"></p>
${LOST_STRIP}
${renderStrips(page, visit, facts)}
`;
  return { head, foot: html`\n${renderKeys(visit, renderFormToken(visit))}\n</body>\n</html>\n` };
}

/** A separate landmark, for users of a screen reader who move between landmarks. */
function renderStrips({ strip, refusal }: DeskPage, visit: BrowserVisit, facts: DeskFrameFacts): Html {
  const refused = refusal && renderRefusal(refusal);
  return html`<section aria-label="Notices">${refused}${facts.isTestOffice && TEST_STRIP}${renderAway(visit, facts)}${strip}</section>`;
}

/** The refusal comes first: a browser shows only the beginning. */
export function toPageTitle({ title, refusal }: Pick<DeskPage, 'title' | 'refusal'>): string {
  return refusal ? `${refusal.fact} · ${title}` : title;
}

export function renderRefusal({ fact, why }: DeskRefusal): Html {
  return html`<p class="notice refused" role="alert"><span><b>${fact}.</b> ${why}</span></p>`;
}

const TEST_STRIP = html`<p class="notice"><span><b>Test office.</b> No payment is real here, and no buyer is waiting for an answer.</span></p>`;

/** Hidden by the script once the desk has proved itself. */
export const LOST_STRIP = html`<div class="notice lost" role="alert"><p><b>The desk is not answering this page.</b> Nothing is sent from this page until it answers, and links do not work: another program may have taken its place. If this message stays, copy what you have written, close this tab, and press Enter in the terminal where the desk runs. Do not type a passphrase here. The page cannot send anything without JavaScript.</p></div>`;

export function renderHead(title: string, { stylesheet, icon, keyboard, proof, live }: DeskAssets): Html {
  return renderDocumentHead(
    title,
    html`<link rel="icon" type="image/svg+xml" href="${icon.path}">
<link rel="stylesheet" href="${stylesheet.path}" integrity="${stylesheet.integrity}">
<script type="module" async src="${proof.path}" integrity="${proof.integrity}"></script>
<script type="module" src="${keyboard.path}" integrity="${keyboard.integrity}"></script>
<script type="module" src="${live.path}" integrity="${live.integrity}"></script>
`,
  );
}

function renderNav(current: DeskNavName | null, { counts }: DeskFrameFacts): Html {
  return html`<nav aria-label="Desk"><ul>
${DESK_NAV.map((name, index) => {
  const count = counts[name];
  return html`<li><a href="${`/${name}`}" aria-keyshortcuts="${index + 1}" aria-current="${name === current && 'page'}">${NAV_WORDS[name]}${count === undefined ? null : html` <span class="count">${formatCount(count)}</span>`}</a></li>`;
})}
</ul></nav>`;
}

/** Posted, so that no name gets into the address or the history. */
function renderSearch(visit: BrowserVisit): Html {
  return html`<form class="find" role="search" method="dialog" action="/search" autocomplete="off">${renderFormToken(visit)}
<label class="unseen" for="find">Search names, ids, and the text of opened cases</label>
<input class="input" id="find" name="q" type="search" placeholder="Search cases" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"><kbd aria-hidden="true">/</kbd>
<button class="unseen" type="submit" tabindex="-1">Search</button>
</form>`;
}

/** A link to the same page: people should stay where they read and write. */
function renderPulse({ path }: BrowserVisit, { office, isReached, answeredAt }: DeskFrameFacts): Html {
  const time = answeredAt && formatClockTime(answeredAt);
  const text = isReached
    ? html`<span><span class="word">Up to date, </span>${time}</span>`
    : html`<span>Not reached<span class="word"> ${time ? `since ${time}` : 'yet'}</span></span>`;
  return html`<a class="${isReached ? 'pulse' : 'pulse away'}" href="${path}" aria-keyshortcuts="." title="${`Ask ${office} now`}">${text}</a>`;
}

/** Always rendered, because the office may stop and resume answering while the page is open. */
function renderAway({ path }: BrowserVisit, { answeredAt, isReached }: DeskFrameFacts): Html {
  const since = answeredAt ? `has not answered since ${formatClockTime(answeredAt)}` : 'is not answering';
  return html`<p class="notice" data-away ?hidden="${isReached}"><span><b>The office ${since}.</b> You can read the cases that you have opened, and write drafts. Nothing is sent until the office answers. Due times stay the same.</span> <a href="${path}">Try now</a></p>`;
}

/** A page of one column: a heading with a sentence, and the content below. */
export function renderColumnPage(title: string, about: string, main: Html): Html {
  return html`<main class="page" id="main"><div class="wrap">
<header class="page-head"><h1>${title}</h1><p class="small">${about}</p></header>
${main}
</div></main>`;
}

/** Beside a list: the entry that has waited longest. */
export function renderOldest(name: string, received: Html, path: string, about: string): Html {
  return html`<section class="first" aria-labelledby="first-name">
<p class="label">Waiting longest</p>
<div class="sheet">
<div class="first-head">
<div>
<h2 class="title" id="first-name">${name}</h2>
<p class="clock"><b>${received}</b></p>
</div>
<div class="acts main-acts"><a class="button" href="${path}" aria-keyshortcuts="n">Open it <kbd aria-hidden="true">n</kbd></a></div>
</div>
<p class="small">${about}</p>
</div>
</section>`;
}

/** Beside a list in which nothing waits. */
export function renderNothingFirst(title: string, text: string): Html {
  return html`<section class="first" aria-labelledby="first-name">
<div class="sheet"><h2 class="title" id="first-name">${title}</h2><p>${text}</p></div>
</section>`;
}
