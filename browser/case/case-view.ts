/** How an open case is shown: in the template of the page at first, and again in place after each change. */
import { createMarkdownElements } from '#browser/ui/document-view.ts';
import { createElement, moveFocus } from '#browser/ui/element.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import {
  cloneTemplate,
  createItemsFiller,
  createTermsFiller,
  createTextFiller,
  fillSlots,
  showTemplate,
  type TemplateSlots,
} from '#browser/ui/page-content.ts';
import type { BrowserCaseView, FindingView, ThreadMessage } from '#browser/workers/opener-jobs.ts';
import type { OpenedPart } from '#seal/case-content.ts';
import { AUTHOR_NAMES, CASE_FORM_FIELDS, type CaseForm, type CaseSlot } from '#wire/case-page.ts';
import { ERROR_CLASS } from '#wire/page-parts.ts';

/** What asks for a file, and the line beside it that tells how far it has come. */
export interface FindingFileRow {
  readonly seq: number;
  readonly button: HTMLElement;
  readonly status: HTMLElement;
}

/** `offerFile` is told of every file that can be saved, once. */
export function showOpenedCase(opened: BrowserCaseView, offerFile: (row: FindingFileRow) => void): void {
  showTemplate('opened', createCaseSlots(opened, offerFile));
  updateFormVisibility(opened);
  const days = findById(CASE_FORM_FIELDS.keep);
  if (days) days.value = String(opened.keep_days);
}

/** Nothing that is typed is touched. */
export function updateShownCase(
  opened: BrowserCaseView,
  news: string,
  offerFile: (row: FindingFileRow) => void,
): void {
  const slots: TemplateSlots<CaseSlot> = {
    ...createCaseSlots(opened, offerFile),
    news: createTextFiller(news),
  };
  fillSlots(document, slots);
  updateFormVisibility(opened);
  moveFocus(findByData('slot', 'news'));
}

function createCaseSlots(
  opened: BrowserCaseView,
  offerFile: (row: FindingFileRow) => void,
): TemplateSlots<CaseSlot> {
  const { title, clock, sentences, rows, inquiry, thread, finding } = opened;
  return {
    title: createTextFiller(title),
    clock: createTextFiller(clock),
    sentences: createItemsFiller('p', sentences),
    rows: createTermsFiller(rows.map(({ label, value }) => ({ label, text: value }))),
    thread: (slot) => {
      slot.hidden = thread.length === 0;
      slot.replaceChildren(...thread.flatMap((message) => createThreadEntry(message) ?? []));
    },
    inquiry: (slot) => {
      if ('content' in inquiry) createTermsFiller(inquiry.content)(slot);
      else slot.replaceWith(createElement('p', { class: `said ${ERROR_CLASS}` }, inquiry.unreadable));
    },
    finding: (slot) =>
      finding && fillPart(slot, finding, (content) => createMarkdownElements(content.document)),
    'finding-files': (slot) => fillFiles(slot, finding, offerFile),
  };
}

function updateFormVisibility({ may, finding }: BrowserCaseView): void {
  for (const id of Object.keys(CASE_FORM_FIELDS) as CaseForm[]) setVisible(findById(id), may[id]);
  setVisible(findByData('part', 'finding'), finding !== null);
  const call = findByData('part', 'call');
  setVisible(call, may.call);
  // Times that were chosen before the call was held must not go along.
  const times = call?.querySelector('fieldset');
  if (times) times.disabled = !may.call;
  // They are an answer too.
  const message = findById(CASE_FORM_FIELDS.write);
  if (message) message.required = !may.call;
}

function setVisible(part: HTMLElement | null, isShown: boolean): void {
  if (part) part.hidden = !isShown;
}

function createThreadEntry({ by, at, said }: ThreadMessage): HTMLElement | null {
  const entry = cloneTemplate('entry', {
    who: createTextFiller(AUTHOR_NAMES[by]),
    when: createTextFiller(at),
    text: (slot) => fillPart(slot, said, (content) => [content]),
  });
  entry?.classList.add(by);
  return entry;
}

/** What cannot be read says why, in its place. */
function fillPart<Content>(
  slot: HTMLElement,
  part: OpenedPart<Content>,
  shown: (content: Content) => (HTMLElement | string)[],
): void {
  slot.classList.toggle(ERROR_CLASS, 'unreadable' in part);
  slot.replaceChildren(...('unreadable' in part ? [part.unreadable] : shown(part.content)));
}

/** Left alone once they are there: one of them may be on its way. */
function fillFiles(
  slot: HTMLElement,
  finding: OpenedPart<FindingView> | null,
  offerFile: (row: FindingFileRow) => void,
): void {
  const files = finding && 'content' in finding ? finding.content.files : [];
  if (slot.childElementCount === files.length) return;
  const rows = files.flatMap((file, seq) => {
    const row = cloneTemplate('file', { name: createTextFiller(`Save ${file}`) });
    const button = row?.querySelector<HTMLElement>('button');
    const status = row?.querySelector<HTMLElement>('[role="status"]');
    if (button && status) offerFile({ seq, button, status });
    return row ?? [];
  });
  slot.replaceChildren(...rows);
}
