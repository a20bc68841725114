/** The background facts of a case: payment, timeline, its key, and when it is purged. */
import { nameAssignee } from '#desk/model/assignee-name.ts';
import { capitalizeName } from '#desk/model/case-gist.ts';
import { formatTimeInBoth } from '#desk/model/desk-time.ts';
import { isEndedCase } from '#desk/model/due-clock.ts';
import { type Html, html } from '#view/html.ts';
import type { SealedBy } from '#wire/case-states.ts';
import { renderShownTime } from '../shown-time.ts';
import type { CaseView } from './case-view.ts';

/** The reference links payment and case: shown on demand, never printed, never in a list. */
export function renderPayment({ opened }: CaseView): Html | null {
  const { inquiry } = opened.content;
  if (!('content' in inquiry)) return null;
  const isDeclined = opened.facts.state === 'declined';
  return html`<section class="slip payment" aria-labelledby="pay-title">
<h2 id="pay-title">Payment</h2>
<dl class="pairs"><div><dt>Tier</dt><dd>${opened.facts.tier}</dd></div></dl>
<details class="reference" ?open="${isDeclined}"><summary>Show the reference</summary><p class="code">${inquiry.content.payment_ref}</p></details>
<p class="hint">Only this reference links the payment to the case. ${isDeclined ? 'Refund the payment at the provider, then mark the refund as done under Orders.' : 'Refunds are made at the provider.'}</p>
</section>`;
}

const sealers: Readonly<Record<SealedBy, string>> = {
  browser: 'sealed in the buyer’s browser',
  agent: 'sealed by the buyer’s own program',
  server: 'sealed by the office when it arrived',
};

export function renderTimeline(view: CaseView): Html {
  const { opened, now } = view;
  const { facts } = opened;
  const due = Date.parse(facts.due_at);
  const next = isEndedCase(facts)
    ? null
    : html`<li class="next">${renderShownTime(due, now)} ${due < now ? 'Was due' : 'Due'}</li>`;
  const steps = listSteps(view).map(({ at, text }) => html`<li>${renderShownTime(at, now)} ${text}</li>`);
  return html`<section class="slip" aria-labelledby="line-title">
<h2 id="line-title">Timeline</h2>
<ol class="line">${next}${steps}</ol>
</section>`;
}

/** The latest first. */
function listSteps({ opened, gist, staff }: CaseView) {
  const { facts, content, notes } = opened;
  const steps = [
    { at: Date.parse(facts.submitted_at), text: `Sent, ${sealers[facts.sealed_by]}` },
    ...content.messages.map(({ at, by, said }) => {
      const isBooking = by === 'desk' && 'content' in said && said.content.call !== null;
      const text = isBooking
        ? 'Call booked'
        : by === 'buyer'
          ? `${capitalizeName(gist.buyer)} wrote`
          : 'The desk wrote';
      return { at, text };
    }),
    ...notes.map(({ at, by }) => ({
      at,
      text: `Note, ${by === null ? 'unreadable' : nameAssignee(by, staff)}`,
    })),
    ...(facts.delivered_at === null ? [] : [{ at: Date.parse(facts.delivered_at), text: 'Delivered' }]),
  ];
  return steps.toSorted((a, b) => b.at - a.at);
}

export function renderSeal({ opened, now }: CaseView): Html {
  const { facts, fingerprint, isFirstOpening } = opened;
  const purged =
    facts.purge_at === null
      ? `${facts.keep_days} days after the delivery`
      : formatTimeInBoth(Date.parse(facts.purge_at), now);
  return html`<section class="slip" aria-labelledby="seal-title">
<h2 id="seal-title">Seal and purge</h2>
<dl class="pairs">
<div><dt>Case key</dt><dd><span class="code">${fingerprint}</span><br><span class="small">${isFirstOpening ? 'opened for the first time; the buyer’s page must show the same digits' : 'unchanged since you first opened it'}</span></dd></div>
<div><dt>Sealed by</dt><dd>${facts.sealed_by}</dd></div>
<div><dt>Purged</dt><dd>${purged}</dd></div>
<div><dt>Id</dt><dd class="code">${facts.id}</dd></div>
<div><dt>Log</dt><dd><a href="/log?case=${facts.id}">Who did what in this case</a></dd></div>
</dl>
</section>`;
}
