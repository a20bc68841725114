/** The forms for writing to the buyer: a reply, a reason for declining or for another purge date. */
import { capitalizeName } from '#desk/model/case-gist.ts';
import { formatTimeInBoth } from '#desk/model/desk-time.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import { KEEP_DAYS, PURGE_WAIT_HOURS } from '#wire/keep-days.ts';
import { renderFormToken } from '../page-frame.ts';
import { type CaseView, mayAct } from './case-view.ts';
import { renderAwayNote, renderEarlier, renderSaved, renderText } from './draft-field.ts';

/** Every form that writes to the buyer says what its writer had read. */
export function renderSeenFields({ opened: { seen }, visit }: Pick<CaseView, 'opened' | 'visit'>): Html {
  return html`${renderFormToken(visit)}<input type="hidden" name="seen_buyer" value="${seen.buyer}"><input type="hidden" name="seen_desk" value="${seen.desk}">`;
}

export function renderReply(view: CaseView): Html {
  const { opened, gist, typed, refusal, templates } = view;
  if (!mayAct(view, 'ask', 'message')) return renderReplyRefused(view);
  const { id } = opened.facts;
  const isAgain = refusal?.why === 'changed' && typed.reply !== '';
  return html`${renderEarlier(view, 'reply')}<form class="reply" id="reply" method="dialog" action="/cases/${id}/messages" autocomplete="off">
${renderSeenFields(view)}
<div class="part"><label for="text">Write to ${gist.buyer}</label><p class="hint"><span id="text-hint">${capitalizeName(gist.buyer)} reads it on the case page.${mayAct(view, 'ask') ? ' The due time stays the same.' : null}</span> ${renderSaved(view, 'reply')}</p></div>
${renderText(view, 'reply', { id: 'text', name: 'text', rows: 3, hint: 'text-hint' })}
<div class="acts">
${mayAct(view, 'ask') ? html`<button class="button quiet" name="act" value="ask" aria-keyshortcuts="Control+Enter" type="submit" data-office ?disabled="${view.isAway}">${isAgain ? 'I have read it: ask and wait' : 'Ask and wait'} <kbd aria-hidden="true">Ctrl Enter</kbd></button>` : null}
${mayAct(view, 'message') ? html`<button class="button quiet" name="act" value="message" aria-keyshortcuts="${mayAct(view, 'ask') ? null : 'Control+Enter'}" type="submit" data-office ?disabled="${view.isAway}">${isAgain ? 'I have read it: send' : 'Send, no answer needed'}</button>` : null}
${mayAct(view, 'offer_call') && opened.facts.call === 'none' ? html`<label class="tick"><input type="checkbox" name="offer_call" value="yes"> Offer the call</label>` : null}
</div>
${renderAwayNote(view)}
${templates.length === 0 ? null : html`<div class="acts">${renderTemplateChoice(templates)}</div>`}
</form>`;
}

export function renderTemplateChoice(templates: readonly string[]): Html {
  const options = templates.map((name) => html`<option>${name}</option>`);
  return html`<label class="unseen" for="template">Template</label>
<select class="input" id="template" name="template"><option value="">Template</option>${options}</select>
<button class="button quiet" name="act" value="insert" type="submit">Insert</button>`;
}

function renderReplyRefused({ opened, gist }: CaseView): Html {
  const { isGenuine } = opened;
  if (!isGenuine)
    return html`<div class="problems" role="alert"><h3>You cannot write in this case</h3><p>The inquiry cannot be opened with the key of this case, so an unknown person might read your answer. Tell an owner.</p></div>`;
  return html`<p class="small">You cannot write to ${gist.buyer} now.</p>`;
}

/** Rarely used, so collapsed at the end of the page, the gravest last; the page's menu leads to their fields. */
export function renderEndings(view: CaseView): Html | null {
  const endings = [renderKeep(view), renderDecline(view), renderPurge(view)].filter((each) => each !== null);
  if (endings.length === 0) return null;
  return html`<section class="endings" aria-label="The end of this case">${endings}</section>`;
}

function renderDecline(view: CaseView): Html | null {
  if (!mayAct(view, 'decline')) return null;
  const { opened, gist, typed } = view;
  return html`${renderEarlier(view, 'decline')}<details class="ending" ?open="${typed.decline !== ''}"><summary>Decline, with a reason</summary>
<form method="dialog" action="/cases/${opened.facts.id}/decline" autocomplete="off">
${renderSeenFields(view)}
<div class="field"><label for="decline-text">Why you decline</label> ${renderSaved(view, 'decline')}<p class="hint" id="decline-hint">${capitalizeName(gist.buyer)} reads it once you can no longer take it back. The case then ends: refund the payment at the provider.</p>
${renderText(view, 'decline', { id: 'decline-text', name: 'text', rows: 3, hint: 'decline-hint', isRequired: true })}</div>
<div class="acts"><button class="button quiet" aria-keyshortcuts="Control+Enter" type="submit" data-office ?disabled="${view.isAway}">Decline ${nameCase(opened.facts.id)}</button></div>
${renderAwayNote(view)}
</form></details>`;
}

function renderKeep(view: CaseView): Html | null {
  if (!mayAct(view, 'retain')) return null;
  const { opened, gist, typed } = view;
  const options = KEEP_DAYS.map(
    (days) =>
      html`<option value="${days}" ?selected="${days === opened.facts.keep_days}">${days} days</option>`,
  );
  return html`${renderEarlier(view, 'keep')}<details class="ending" ?open="${typed.keep !== ''}"><summary>Change the purge date, with a reason</summary>
<form method="dialog" action="/cases/${opened.facts.id}/keep" autocomplete="off">
${renderSeenFields(view)}
<div class="field"><label for="keep-days">Keep after delivery for</label><select class="input" id="keep-days" name="days">${options}</select></div>
<div class="field"><label for="keep-text">Why</label> ${renderSaved(view, 'keep')}<p class="hint" id="keep-hint">${capitalizeName(gist.buyer)} reads the reason and can change the number of days again.</p>
${renderText(view, 'keep', { id: 'keep-text', name: 'text', rows: 2, hint: 'keep-hint', isRequired: true })}</div>
<div class="acts"><button class="button quiet" aria-keyshortcuts="Control+Enter" type="submit" data-office ?disabled="${view.isAway}">Change the purge date</button></div>
${renderAwayNote(view)}
</form></details>`;
}

/** Confirmed by typing: owners cannot take the purge back, and others have a day to do so. */
function renderPurge(view: CaseView): Html | null {
  const { opened, visit, now } = view;
  const { id, acts, purge_at: purgeAt } = opened.facts;
  const isAtOnce = acts.includes('purge_now');
  if (!isAtOnce && !acts.includes('purge')) return null;
  const name = nameCase(id);
  const latest = now + PURGE_WAIT_HOURS * HOUR_MS;
  const at = purgeAt === null ? latest : Math.min(latest, Date.parse(purgeAt));
  const when = isAtOnce
    ? 'The purge happens at once and cannot be undone.'
    : `The purge happens ${formatTimeInBoth(at, now)}. Until then everyone at the desk sees your request and can undo it. Your drafts in this case are deleted now.`;
  return html`<details class="ending"><summary>${describePurge(isAtOnce)}</summary>
<form method="dialog" action="/cases/${id}/purge" autocomplete="off">
${renderFormToken(visit)}<input type="hidden" name="when" value="${isAtOnce ? 'now' : 'later'}">
<div class="field"><label for="purge">To purge ${name} for good, type its name</label><p class="hint" id="purge-hint">This deletes its inquiry, messages, notes, files and finding. ${when} Files that you saved are not deleted.</p>
<input class="input" id="purge" name="name" type="text" autocomplete="off" spellcheck="false" required aria-describedby="purge-hint"></div>
<div class="acts"><button class="button quiet" aria-keyshortcuts="Control+Enter" type="submit">Purge ${name}</button></div>
</form></details>`;
}

export function describePurge(isAtOnce: boolean): string {
  return isAtOnce ? 'Purge now' : 'Purge in a day';
}
