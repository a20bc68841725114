/** The privacy page: what is stored, who can read it, when it is deleted, and the remaining risks. */
import { LAST_NOTICE_DAYS } from '#cases/notice-times.ts';
import {
  CONTACT_DAYS,
  CONTACT_DONE_DAYS,
  DECLINED_DAYS,
  DEFAULT_KEEP_DAYS,
  KEPT_KEYS_FILES,
  LONGER_KEEP_DAYS,
  TOMBSTONE_DAYS,
  WITHDRAWN_HOURS,
} from '#cases/retention.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import type { Language } from '#language/language.ts';
import { formatSpan } from '#language/span.ts';
import { UNPAID_ORDER_DAYS } from '#payments/old-orders.ts';
import { WAY_BACK_MINUTES } from '#payments/way-back.ts';
import type { Config } from '#platform/config.ts';
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import type { App } from '#platform/http/app.ts';
import { EVENT_DAYS } from '#store/callback-boxes.ts';
import { createReadablePage } from '#view/document.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage, PageFrame } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';
import { renderSentence } from '#view/sentence.ts';
import { REMEMBERED_DAYS } from '#wire/keep-days.ts';
import { PURCHASE_COOKIE_SECONDS } from './inquiry/form-cookie.ts';

export function addPrivacyRoutes(
  app: App,
  frame: PageFrame,
  config: Pick<Config, 'ordersKeepDays' | 'backup'>,
): void {
  const route = '/privacy';
  const getPage = createReadablePage(frame, route, (language) => renderPrivacyPage(language, frame, config));
  addPublicPageRoutes(app, frame, { route, getPage });
}

function renderPrivacyPage(
  language: Language,
  { maintainer }: Pick<PageFrame, 'maintainer'>,
  config: Pick<Config, 'ordersKeepDays' | 'backup'>,
): HtmlPage {
  const { say } = language;
  return {
    title: say('privacy.title'),
    description: say('privacy.description'),
    language,
    main: html`<div class="wrap text">
<h1>${say('privacy.heading')}</h1>
<p>${say('privacy.lead')}</p>
${renderPart(say('case.title'), [
  say('privacy.case.locked'),
  say('privacy.case.sides'),
  say('privacy.case.messages'),
  say('privacy.case.notes'),
  say('privacy.case.open'),
  say('privacy.case.device'),
])}
${renderPart(say('privacy.payment'), [
  say('privacy.payment.stripe'),
  say('privacy.payment.mail', { minutes: WAY_BACK_MINUTES, days: FORM_DAYS }),
  say('privacy.payment.order'),
])}
${renderPart(say('privacy.news'), [say('privacy.news.text'), say('privacy.news.address'), say('privacy.news.without')])}
${renderPart(say('permissions.title'), [
  say('privacy.programs.text'),
  say('privacy.programs.plain'),
  say('privacy.programs.events', { days: EVENT_DAYS }),
  renderProgramsKept(language),
])}
<h2>${say('privacy.end')}</h2>
${renderDeletionTable(language, config)}
${renderParagraphs([
  say('privacy.end.means'),
  say('privacy.end.backups', { span: formatSpan(say, KEPT_KEYS_FILES * config.backup.hours) }),
])}
${renderPart(say('privacy.visit'), [
  say('privacy.visit.trackers', {
    hours: PURCHASE_COOKIE_SECONDS / HOUR_SECONDS,
    days: FORM_DAYS,
    minutes: oauthLifetimes.signIn / MINUTE_SECONDS,
  }),
  say('privacy.visit.log'),
  say('privacy.visit.device'),
])}
<h2>${say('privacy.risk')}</h2>
<ul class="list">
${RISKS.map((risk) => html`<li>${say(`privacy.risk.${risk}`)}</li>\n`)}</ul>
${renderPart(say('privacy.questions'), [
  renderWriteSentence(language, maintainer),
  say('privacy.questions.end', { done: CONTACT_DONE_DAYS, days: CONTACT_DAYS }),
])}
</div>`,
  };
}

const RISKS = ['server', 'held', 'plain', 'times', 'mail', 'network', 'words'] as const;

function renderPart(title: string, paragraphs: readonly (Html | string)[]): Html {
  return html`<h2>${title}</h2>
${renderParagraphs(paragraphs)}`;
}

function renderParagraphs(paragraphs: readonly (Html | string)[]): Html {
  return html`${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}`;
}

function renderProgramsKept(language: Language): Html {
  return renderSentence(language, 'privacy.programs.kept', {
    unused: oauthLifetimes.refreshToken / DAY_SECONDS,
    days: oauthLifetimes.grant / DAY_SECONDS,
    link: (text) => html`<a href="/permissions">${text}</a>`,
  });
}

function renderWriteSentence(language: Language, address: string): Html {
  return renderSentence(language, 'privacy.questions.write', {
    address,
    link: (text) => html`<a href="/contact">${text}</a>`,
    mail: (text) => html`<a href="mailto:${address}">${text}</a>`,
  });
}

function renderDeletionTable(
  { say, tag }: Language,
  { ordersKeepDays }: Pick<Config, 'ordersKeepDays'>,
): Html {
  const longer = new Intl.ListFormat(tag, { type: 'disjunction' }).format(LONGER_KEEP_DAYS.map(String));
  const rows = [
    [say('privacy.row.answered'), say('privacy.row.answered.end', { days: DEFAULT_KEEP_DAYS, longer })],
    [say('privacy.row.declined'), say('privacy.row.declined.end', { days: DECLINED_DAYS })],
    [say('privacy.row.withdrawn'), say('privacy.row.withdrawn.end', { hours: WITHDRAWN_HOURS })],
    [
      say('privacy.row.left'),
      say('privacy.row.left.end', { days: TOMBSTONE_DAYS, months: Math.round(REMEMBERED_DAYS / 30) }),
    ],
    [say('privacy.row.news'), say('privacy.row.news.end', { days: LAST_NOTICE_DAYS })],
    [
      say('privacy.row.order'),
      say('privacy.row.order.end', { unpaid: UNPAID_ORDER_DAYS, days: ordersKeepDays }),
    ],
    [say('privacy.row.unused'), say('privacy.row.unused.end')],
  ];
  const end = say('home.kept.end');
  return html`<table>
<thead><tr><th scope="col">${say('home.kept.what')}</th><th scope="col">${end}</th></tr></thead>
<tbody>
${rows.map(([what, when]) => html`<tr><th scope="row">${what}</th><td data-label="${end}">${when}</td></tr>\n`)}</tbody>
</table>`;
}
