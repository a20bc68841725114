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
import { UNPAID_ORDER_DAYS } from '#payments/old-orders.ts';
import { WAY_BACK_MINUTES } from '#payments/way-back.ts';
import type { Config } from '#platform/config.ts';
import { DAY_SECONDS, HOUR_MS, MINUTE_SECONDS } from '#platform/durations.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import type { App } from '#platform/http/app.ts';
import { formatDurationInWords } from '#platform/spelled-duration.ts';
import { createStaticPage, sendStaticPage } from '#view/document.ts';
import { html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame } from '#view/page.ts';

export function addPrivacyRoutes(
  app: App,
  frame: PageFrame,
  config: Pick<Config, 'ordersKeepDays' | 'backup'>,
): void {
  const getPage = createStaticPage(frame, () => renderPrivacyPage(frame, config));
  app.get('/privacy', { config: { access: 'public', produces: HTML_MEDIA_TYPE } }, async (request, reply) =>
    sendStaticPage(request, reply, await getPage(request)),
  );
}

function renderPrivacyPage(
  { maintainer }: Pick<PageFrame, 'maintainer'>,
  { ordersKeepDays, backup }: Pick<Config, 'ordersKeepDays' | 'backup'>,
): HtmlPage {
  const longerKeepDays = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  const longerKeepDaysText = longerKeepDays.format(LONGER_KEEP_DAYS.map(String));
  const backupSpan = formatDurationInWords(KEPT_KEYS_FILES * backup.hours * HOUR_MS);
  return {
    title: 'Privacy: what we keep and who can read it',
    description:
      'What we keep of an inquiry, who can read it, when it is deleted, and what could still go wrong.',
    main: html`<div class="wrap text">
<h1>What we know about you</h1>
<p>As little as the work allows. This page says what is kept, who can open it, when it goes, and where our protection ends.</p>

<h2>Your case</h2>
<p>Your question, your files, your messages and the answer are locked before they are stored. With JavaScript, your browser locks them and our server never sees the text. Without it, the server locks them the moment they arrive and writes nothing of them down; the form tells you so before you send.</p>
<p>Two sides can unlock a case: you, with your twelve words, and our investigators, with keys that are not on the server. One more key, for the day an investigator’s is lost, is kept away from the server too. We cannot give you your twelve words again: whoever has them can read the case, and without them you cannot.</p>
<p>Each message vouches for those before it: if one is removed or replaced after it was answered, the case page shows both sides that something is missing. The page also shows fifteen digits, the fingerprint of the case’s key, and your investigator sees the same ones. If yours are different, somebody has come between you: stop writing there, and tell us in some other way.</p>
<p>Not locked, because the work needs it: which service you bought, when the case was sent and when it is due, how far it has come, how long you want it kept, and roughly how large it is.</p>

<p>Our pages store nothing on your device but one cookie, until the form is sent. Only if you tick “Keep what I type if this page reloads”, your tab keeps what you typed and your twelve words, locked. We hold half of the key, and delete it once you send the form, leave with the exit button, or after a day.</p>

<h2>Your payment</h2>
<p>You pay on the page of our payment provider, Stripe, under its own rules. It learns your name, your card and your e-mail address. What you bought is called online research there, on your receipt and on your card statement. Your card number never reaches us.</p>
<p>If your form isn’t sent ${WAY_BACK_MINUTES} minutes after you paid, we ask Stripe for that e-mail address and send one message there, with a link back to the form. It doesn’t say what you bought, and we don’t keep the address: of the link, our order keeps only a fingerprint until the form is sent. Whoever can read your mail can open the empty form with the link, for ${FORM_DAYS} days at most and only until you have sent it; nobody can read with it what you wrote.</p>
<p>Our order says what was bought, for how much and whether it was paid. Once it is used, it keeps the day and no hour. Your case carries nothing of the order: the two meet only inside what is locked. But both say which service it was, so on a day when we sold only one of yours, the two can be told to belong together.</p>

<h2>If you want to be told of news</h2>
<p>Only if you ask for it on your case page, we email you when something is new. You give us an address for this and nothing else: we take none from your payment, and could not read one in your question. We lock it with a key of our own, apart from your case, keep it out of our backups, and delete it with the case or when you say so. The email says only that something is new, and comes at one of four fixed hours.</p>
<p>Please don’t use the address you paid with. Whoever had our key, our records and our payment provider’s could otherwise tell that it was you who asked.</p>

<h2>Programs that act for you</h2>
<p>You can let a program, such as an assistant, buy, send and read cases for you. It sees what it sent for you, and the case whose words you signed in with, and nothing of other people who use the same program. It learns your e-mail address only if you tick that.</p>
<p>For this we keep your address, locked with a key of our own, or a fingerprint of the words; what you allowed, to which program and when. You can <a href="/permissions">see and end it</a> at any time. It ends by itself when the program has not used it for ${oauthLifetimes.refreshToken / DAY_SECONDS} days, after ${oauthLifetimes.grant / DAY_SECONDS} days at the latest, and, if you signed in with words, when the case is deleted. The address stays, so that we know you when you come back.</p>

<h2>When it goes</h2>
<table>
<thead><tr><th scope="col">What</th><th scope="col">When we delete it</th></tr></thead>
<tbody>
<tr><th scope="row">A case that was answered</th><td data-label="When we delete it">${DEFAULT_KEEP_DAYS} days after the answer, or after ${longerKeepDaysText} days if you ask us to keep it</td></tr>
<tr><th scope="row">A case that we declined</th><td data-label="When we delete it">After ${DECLINED_DAYS} days</td></tr>
<tr><th scope="row">A case that you withdrew</th><td data-label="When we delete it">After ${WITHDRAWN_HOURS} hours</td></tr>
<tr><th scope="row">What stays of a deleted case</th><td data-label="When we delete it">Which service it was, in which month, and how it ended: never. That your words belonged to it, and the day it went: after ${TOMBSTONE_DAYS} days</td></tr>
<tr><th scope="row">An address for emails about news</th><td data-label="When we delete it">When you say so, or withdraw or delete the case; otherwise with the last email, at most ${LAST_NOTICE_DAYS} days after the case</td></tr>
<tr><th scope="row">An order</th><td data-label="When we delete it">If it was never paid, after ${UNPAID_ORDER_DAYS} days. Otherwise not with the case, since it belongs to our accounts: ${ordersKeepDays.toLocaleString('en-GB')} days after you bought</td></tr>
<tr><th scope="row">An order that you paid and did not use</th><td data-label="When we delete it">Not before you use it or have your money back</td></tr>
</tbody>
</table>
<p>Deleted means that the records are removed, and that the one key without which nobody can open a copy of them, neither you nor we, is destroyed first. Where we cannot overwrite that key, a trace of it may last longer: in the log of a database server, in the worn parts of a disk. Whoever found it there would also need a copy of your case, and your words or an investigator’s key.</p>
<p>We make backups for emergencies, locked like a case. Copies of those keys are kept for ${backupSpan} at most. Until then a backup could still open a case that was deleted; afterwards none can, and if we ever have to go back to a backup, what was deleted stays deleted. A message through our contact form has no such key: an investigator could still open it in a backup for as long as we keep that backup, and going back to one brings it back until its date.</p>

<h2>Your visit</h2>
<p>There are no trackers, no advertising and nothing from other sites on our pages. After a payment one cookie keeps the form open in your browser, until you send it and for ${FORM_DAYS} days at most; while you sign in to let a program act for you, others keep your place for ${oauthLifetimes.signIn / MINUTE_SECONDS} minutes.</p>
<p>Our log notes that a page was asked for, with a random number, and not by whom: no internet address, no browser, nothing you typed. To stop abuse we count requests by address in memory, under a disguise that changes every day, and never store it.</p>
<p>Your own device still remembers the addresses of pages, and with the one after the payment its number, which opens the form until you have sent it. Use a private window, or clear the history, if someone else may look at it.</p>

<h2>What could still go wrong</h2>
<ul class="list">
<li>If somebody took over our server, they could send your browser a false page that reads along as you type. What you sent earlier would stay locked, unless you typed your twelve words into such a page.</li>
<li>Somebody with access to our server could hold a message back, or remove one that nobody has answered yet.</li>
<li>Without JavaScript you have to trust the server at the moment you send.</li>
<li>Our server sees when a payment and a case come in, and Stripe keeps the time of each payment. Somebody who watched the server, or who had Stripe’s records and ours, could find out which belong together; on a quiet day, our records alone can be enough.</li>
<li>We send ourselves e-mails with numbers alone: how many cases wait, and that one is due soon or late. Whoever read them could work out from the latter when a case came in, but not whose it is or what it says. If you sign in with an e-mail address, get the message with the way back to your form, or ask to be told of news, your mail provider sees that you deal with this site.</li>
<li>Your internet provider, or whoever runs your network, can see that you visited this site, though not what you read or wrote.</li>
<li>Whoever holds your device, or finds your twelve words, is you as far as we can tell.</li>
</ul>

<h2>Questions</h2>
<p><a href="/contact">Write to us</a>: your message is locked like a case. You can also write to <a href="mailto:${maintainer}">${maintainer}</a>, but e-mail can be read on its way, so put nothing about a case into it.</p>
<p>A message to us is deleted at most ${CONTACT_DONE_DAYS} days after we have dealt with it, and after ${CONTACT_DAYS} days at the latest.</p>
</div>`,
  };
}
