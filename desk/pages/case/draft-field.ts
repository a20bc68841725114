/** A field of a case that is saved during typing, with its state beside it. */
import type { DraftFields } from '#desk/keys/draft-file.ts';
import { computeDraftMark, type DraftKind, toEarlierField } from '#desk/keys/merged-draft.ts';
import { formatDeskTime } from '#desk/model/desk-time.ts';
import { type Html, html } from '#view/html.ts';
import type { DeskAct } from '#wire/desk-cases.ts';
import { renderFormToken } from '../page-frame.ts';
import { type CaseView, explainRefusal, mayAct } from './case-view.ts';

/** Such as `saved 19:11`. */
export function describeSavedAt(at: number, now: number): string {
  return `saved ${formatDeskTime(at, now).replace('today ', '')}`;
}

/** The page's script updates it, so that it never claims more than was saved. */
export function renderSaved({ draft, typed, now }: CaseView, kind: DraftKind): Html {
  return html`<span class="count saved" data-saved="${kind}">${describeSaved(draft.stored ?? {}, kind, typed[kind], now)}</span>`;
}

function describeSaved(stored: DraftFields, kind: DraftKind, text: string, now: number): string {
  if (text === '') return '';
  if (stored[kind] !== text) return 'not saved yet';
  const at = Date.parse(stored[`${kind}_at`] ?? '');
  return Number.isNaN(at) ? 'saved earlier' : describeSavedAt(at, now);
}

/** Beside buttons with `data-office`, which are disabled while the office is away. */
export function renderAwayNote({ isAway }: Pick<CaseView, 'isAway'>): Html {
  return html`<p class="small" data-away ?hidden="${!isAway}">The office is not answering. What you write is saved on this machine. You can send it when the office answers again.</p>`;
}

/** Hidden fields of every form with a draft field: they identify the text that the page was made from. */
export function renderDraftFields({ draft }: Pick<CaseView, 'draft'>, kind: DraftKind): Html {
  const base = computeDraftMark(draft.stored?.[kind] ?? '');
  return html`<input type="hidden" name="page" value="${draft.page}"><input type="hidden" name="base" value="${base}">`;
}

interface TextField {
  readonly id: string;
  readonly name: string;
  readonly rows?: number;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly key?: string;
  readonly isRequired?: boolean;
  readonly hasFocus?: boolean;
}

/** HTML drops a line break at the start of a `textarea`, so one is added. */
export function renderText(view: CaseView, kind: DraftKind, field: TextField): Html {
  const { id, name, rows, maxLength = 4000, placeholder, hint, key } = field;
  const { refusal } = view;
  const isRefused = refusal?.kind === kind;
  const why = isRefused ? html`<p class="error">${explainRefusal(view, refusal)}</p>` : null;
  return html`${renderDraftFields(view, kind)}${why}<textarea class="input" id="${id}" name="${name}" rows="${rows}" maxlength="${maxLength}" placeholder="${placeholder}" data-draft="${kind}" spellcheck="false" autocomplete="off" ?required="${field.isRequired === true}" ?autofocus="${isRefused || field.hasFocus === true}" aria-describedby="${hint}" aria-keyshortcuts="${key}">
${view.typed[kind]}</textarea>`;
}

/** Shows the text of another window, or of one from before the desk was locked, so that neither text is lost. */
export function renderEarlier(view: CaseView, kind: DraftKind): Html | null {
  const earlier = view.draft.stored?.[toEarlierField(kind)];
  if (earlier === undefined) return null;
  const label = 'This draft has another version, from another window or an answer that was taken back:';
  return renderKept(view, toEarlierField(kind), label, earlier);
}

const KIND_ACTS: Readonly<Record<Exclude<DraftKind, 'call'>, readonly DeskAct[]>> = {
  reply: ['ask', 'message'],
  note: ['note'],
  decline: ['decline'],
  keep: ['retain'],
  markdown: ['deliver'],
};

/** A form may be gone because a colleague took the case, or because the case ended; its typed text is not lost. */
export function renderFormless(view: CaseView): readonly Html[] {
  return (Object.entries(KIND_ACTS) as [DraftKind, readonly DeskAct[]][]).flatMap(([kind, acts]) => {
    if (mayAct(view, ...acts)) return [];
    const text = view.typed[kind];
    const unsent = text === '' ? null : renderKept(view, kind, 'Not sent', text);
    return [unsent, renderEarlier(view, kind)].filter((part) => part !== null);
  });
}

function renderKept({ opened, visit }: CaseView, field: string, label: string, text: string): Html {
  const id = `kept-${field}`;
  return html`<form class="changed" method="dialog" action="/cases/${opened.facts.id}/drafts">${renderFormToken(visit)}<div class="part"><label for="${id}">${label}</label></div>
<textarea class="input" id="${id}" rows="4" readonly spellcheck="false" autocomplete="off">
${text}</textarea>
<div class="acts"><button class="button quiet little" name="drop" value="${field}" type="submit">Discard it</button></div></form>`;
}
