/** The call of a case: where it stands, its times in both zones, and the form that books one. */
import { listCallTimes } from '#desk-program/model/call-times.ts';
import { capitalizeName } from '#desk-program/model/case-gist.ts';
import { DESK_ZONE, formatTimeInBoth } from '#desk-program/model/desk-time.ts';
import { showLine } from '#desk-program/model/shown-text.ts';
import { formatBookedCall, toCallTime } from '#seal/booked-call.ts';
import { buildCallPlan, type CallPlan } from '#seal/call-plan.ts';
import { type Html, html } from '#view/html.ts';
import { renderActButton } from './act-button.ts';
import { renderSeenFields } from './case-reply.ts';
import { type CaseView, mayAct } from './case-view.ts';

export function renderCall(view: CaseView): Html | null {
  const { opened, gist } = view;
  const { call } = opened.facts;
  const plan = buildCallPlan(opened.content, call === 'booked');
  if (call === 'none' && plan.windows.length === 0 && !mayAct(view, 'offer_call', 'book_call')) return null;
  return html`<section class="slip" id="call" aria-labelledby="call-title">
<h2 id="call-title">Call ${call === 'proposed' ? html`<span class="tag">${capitalizeName(gist.buyer)} gave times</span>` : html`<span class="count">${callStates[call] ?? call}</span>`}</h2>
${plan.number === '' ? null : html`<p>Number: ${showLine(plan.number)}</p>`}
${renderBooked(plan, view)}
${mayAct(view, 'book_call') && call !== 'held' ? renderBooking(plan, view) : null}
<div class="acts">
${mayAct(view, 'offer_call') && call === 'none' ? renderActButton(view, 'offer_call', 'Offer the call') : null}
${mayAct(view, 'hold_call') && call === 'booked' ? renderActButton(view, 'hold_call', 'It was held') : null}
</div>
</section>`;
}

const callStates: Readonly<Record<string, string>> = {
  none: 'not offered',
  offered: 'offered',
  booked: 'booked',
  held: 'held',
};

function renderBooked({ booked }: CallPlan, { now }: CaseView): Html | null {
  if (booked === null) return null;
  return html`<p><b>${formatTimeInBoth(toCallTime(booked), now)}</b><br><span class="small">The buyer reads: ${showLine(formatBookedCall(booked))}</span></p>`;
}

function renderBooking(plan: CallPlan, view: CaseView): Html {
  const groups = listCallTimes(plan.windows, view.now);
  const { id } = view.opened.facts;
  const choice =
    groups.length === 0
      ? html`<label class="unseen" for="begin">The call begins</label><input class="input" id="begin" name="local" type="datetime-local" required autocomplete="off" aria-keyshortcuts="c">`
      : html`<label class="unseen" for="begin">The call begins</label><select class="input" id="begin" name="begin" aria-keyshortcuts="c">${groups.map(
          ({ label, begins }) =>
            html`<optgroup label="${showLine(label)}">${begins.map((begin) => html`<option value="${begin.at}">${begin.label}</option>`)}</optgroup>`,
        )}</select>`;
  return html`<form method="dialog" action="/cases/${id}/call" autocomplete="off">
${renderSeenFields(view)}
<p class="small">Your time, ${DESK_ZONE}.</p>
<div class="acts book">${choice}<button class="button quiet" type="submit">Book</button></div>
</form>`;
}
