/** The parts beside a conversation: notes that only the desk reads, and the files. */
import { nameAssignee, nameAssigneeWithKey } from '#desk/model/assignee-name.ts';
import { formatDeskTime } from '#desk/model/desk-time.ts';
import { showLine, showText } from '#desk/model/shown-text.ts';
import type { DeskNote } from '#desk/office/case-reader.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import { NOTE_KIND } from '#seal/case/note.ts';
import { isUnshownPart, isUnshownReason, type OpenedPart } from '#seal/case/opened-part.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { formatFileSize } from '#seal/form/inquiry-text.ts';
import { type Html, html } from '#view/html.ts';
import { renderFormToken } from '../page-frame.ts';
import { type CaseView, mayAct } from './case-view.ts';
import { renderAwayNote, renderEarlier, renderSaved, renderText } from './draft-field.ts';

export function renderNotes(view: CaseView): Html {
  const { opened, visit } = view;
  const handOver = renderHandOver(view);
  const form = mayAct(view, 'note')
    ? html`<form method="dialog" action="/cases/${opened.facts.id}/notes" autocomplete="off">${renderFormToken(visit)}<label class="unseen" for="note">Note for the desk</label>${renderText(view, 'note', { id: 'note', name: 'note', rows: 2, placeholder: 'Note for the desk', key: handOver ? 'm h' : 'm' })}<div class="acts"><button class="button plain little" aria-keyshortcuts="Control+Enter" type="submit" data-office ?disabled="${view.isAway}">Add the note</button>${renderSaved(view, 'note')}</div>${handOver}${renderAwayNote(view)}</form>`
    : null;
  return html`<section class="slip memos" id="notes" aria-labelledby="notes-title">
<h2 id="notes-title">Notes <span class="count">only the desk can read these</span></h2>
${renderNoteList(view)}
${renderEarlier(view, 'note')}
${form}
</section>`;
}

/** The note gives the reason; only people whom the investigator has confirmed are offered. */
function renderHandOver(view: CaseView): Html | null {
  const { holder: own, people } = view.staff;
  const colleagues = people.filter(({ holder, name }) => holder !== own && name !== null);
  if (!mayAct(view, 'hand_over') || colleagues.length === 0) return null;
  const options = colleagues.map(
    ({ holder }) => html`<option value="${holder}">${nameAssignee(holder, view.staff)}</option>`,
  );
  return html`<div class="acts"><label class="small" for="hand-to">Or hand over to</label><select class="input" id="hand-to" name="to">${options}</select><button class="button plain little" name="act" value="hand_over" type="submit">Hand over</button></div>`;
}

/** The latest first. */
export function renderNoteList(view: Pick<CaseView, 'opened' | 'staff' | 'now' | 'visit'>): Html | null {
  const { opened, staff, now } = view;
  if (opened.notes.length === 0) return null;
  const items = opened.notes.toReversed().map((note) => {
    const { said, seq } = note;
    const text = 'text' in said ? said.text : said.unreadable;
    const save =
      'text' in said || !isUnshownReason(said.reason)
        ? null
        : renderSaving(view, { kind: NOTE_KIND, seq }, 'the note');
    return html`<li class="memo"><p class="who"><b>${nameAuthor(note, staff)}</b> ${formatDeskTime(note.at, now)}</p><p class="said">${showText(text)}</p>${save}</li>`;
  });
  return html`<ol>${items}</ol>`;
}

function nameAuthor({ by }: DeskNote, staff: CaseView['staff']): string {
  return by === null ? 'Unknown author' : nameAssigneeWithKey(by, staff);
}

export function renderFiles(view: CaseView): Html {
  const { opened, gist, outFolder } = view;
  const own = opened.files.filter(({ kind }) => kind !== 'finding-file.v1');
  const sent = opened.files.filter(({ kind }) => kind === 'finding-file.v1');
  return html`${
    own.length === 0
      ? null
      : html`<section class="slip" id="files" aria-labelledby="files-title">
<h2 id="files-title">Files from ${gist.buyer} <span class="count">${own.length}</span></h2>
${renderFileList(own, view)}
<p class="hint">Treat these files as hostile. Open them on a disposable machine, and delete them when you are done. ${outFolder === null ? 'They are saved in your browser’s download folder.' : `They are saved in ${outFolder}.`}</p>
</section>`
  }
${
  sent.length === 0
    ? null
    : html`<section class="slip" aria-labelledby="sent-title">
<h2 id="sent-title">Files of the finding <span class="count">${sent.length}</span></h2>
${renderFileList(sent, view)}
</section>`
}`;
}

/** Offers to save a part that is not shown, though it was sealed with the case key. */
export function renderPartSaving(
  view: Pick<CaseView, 'opened' | 'visit'>,
  place: SealedPlace,
  part: OpenedPart<unknown>,
): Html | null {
  return isUnshownPart(part) ? renderSaving(view, place, 'its content') : null;
}

function renderSaving(
  { opened, visit }: Pick<CaseView, 'opened' | 'visit'>,
  { kind, seq }: SealedPlace,
  what: string,
  key: string | null = null,
): Html {
  return html`<form method="dialog" action="/cases/${opened.facts.id}/files/${kind}/${seq}">${renderFormToken(visit)}<button class="button plain little" aria-keyshortcuts="${key}" type="submit">Save<span class="unseen"> ${showLine(what)}</span></button></form>`;
}

function renderFileList(files: readonly CaseFile[], view: CaseView): Html {
  const { opened, savedAt, now } = view;
  const items = files.map((file, index) => {
    const place = `${file.kind}/${file.seq}`;
    const saved = savedAt.get(`${opened.facts.id}/${place}`);
    const note = saved === undefined ? '' : `, saved ${formatDeskTime(saved, now)}`;
    const key = index === 0 && file.kind !== 'finding-file.v1' ? 'f' : null;
    return html`<li><span><b>${showLine(file.name)}</b> <span class="small">${formatFileSize(file.size)}${note}</span></span>${renderSaving(view, file, file.name, key)}</li>`;
  });
  return html`<ul class="files">${items}</ul>`;
}
