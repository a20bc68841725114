/** Shows an open case: first from the template, then updated in place after each action. */
import { createMarkdownElements } from '#browser/ui/document-view.ts';
import { createElement, moveFocus } from '#browser/ui/element.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import {
  cloneTemplate,
  createItemsFiller,
  createTermsFiller,
  createTextFiller,
  createTimedFiller,
  fillSlots,
  showTemplate,
  type TemplateSlots,
} from '#browser/ui/page-content.ts';
import { reader, say } from '#browser/ui/say.ts';
import type { BrowserCaseView, ShownPart, ThreadMessage } from '#browser/workers/opener-jobs.ts';
import type { CaseFile } from '#seal/case-files.ts';
import { CASE_FORM_FIELDS, type CaseActionForm, type CaseSlot } from '#wire/case-page.ts';
import { ERROR_CLASS } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';

/** The download button of a file and its status line. */
export interface CaseFileRow {
  readonly file: CaseFile;
  readonly button: HTMLElement;
  readonly status: HTMLElement;
}

/** Calls `offerFile` once for every file that can be saved. */
export function showOpenedCase(opened: BrowserCaseView, offerFile: (row: CaseFileRow) => void): void {
  showTemplate('opened', createCaseSlots(opened, offerFile));
  updateFormVisibility(opened);
  const days = findById(CASE_FORM_FIELDS.keep);
  if (days) days.value = String(opened.keep_days);
}

/** Keeps everything that the buyer has typed. */
export function updateShownCase(
  opened: BrowserCaseView,
  news: string,
  offerFile: (row: CaseFileRow) => void,
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
  offerFile: (row: CaseFileRow) => void,
): TemplateSlots<CaseSlot> {
  const { title, clock, sentences, deletion, rows, fingerprint, inquiry, inquiryFiles, thread, finding } =
    opened;
  const keyRows = fingerprint ? [{ label: say('case.row.fingerprint'), value: [fingerprint] }] : [];
  return {
    title: createTextFiller(title),
    clock: createTimedFiller(clock),
    deletion: createTimedFiller(deletion),
    sentences: createItemsFiller('p', sentences),
    rows: createTermsFiller([...rows, ...keyRows]),
    thread: (slot) => {
      slot.hidden = thread.length === 0;
      slot.replaceChildren(...thread.flatMap((message) => createThreadEntry(message) ?? []));
    },
    inquiry: (slot) => {
      if ('content' in inquiry)
        createTermsFiller(
          inquiry.content.map(({ label, text }) => ({
            label: sayText(reader, label),
            value: [sayText(reader, text)],
          })),
        )(slot);
      else
        slot.replaceWith(
          createElement('p', { class: `said ${ERROR_CLASS}` }, sayText(reader, inquiry.unreadable)),
        );
    },
    'inquiry-files': (slot) => fillFiles(slot, inquiryFiles, offerFile),
    finding: (slot) =>
      finding && fillPart(slot, finding, (content) => createMarkdownElements(content.document)),
    'finding-files': (slot) =>
      fillFiles(slot, finding && 'content' in finding ? finding.content.files : [], offerFile),
  };
}

function updateFormVisibility({ may, finding, thread }: BrowserCaseView): void {
  for (const id of Object.keys(CASE_FORM_FIELDS) as CaseActionForm[]) setVisible(findById(id), may[id]);
  setVisible(findByData('part', 'finding'), finding !== null);
  setVisible(findByData('part', 'messages'), may.write || thread.length > 0);
  setVisible(findByData('part', 'notices'), may.notify);
  const call = findByData('part', 'call');
  setVisible(call, may.call);
  // Times chosen before the call was held must not be sent.
  const times = call?.querySelector('fieldset');
  if (times) times.disabled = !may.call;
  // Call times alone are a valid message too.
  const message = findById(CASE_FORM_FIELDS.write);
  if (message) message.required = !may.call;
}

function setVisible(element: HTMLElement | null, isVisible: boolean): void {
  if (element) element.hidden = !isVisible;
}

function createThreadEntry({ by, link, at, said, mark }: ThreadMessage): HTMLElement | null {
  const entry = cloneTemplate('entry', {
    who: createTextFiller(say(by === 'buyer' ? 'case.you' : 'case.investigator')),
    when: createTimedFiller(at ? [at] : []),
    text: (slot) => fillPart(slot, said, (content) => [sayText(reader, content)]),
    mark: createTextFiller(sayText(reader, mark)),
  });
  entry?.classList.add(by, link);
  return entry;
}

/** Shows the error if the part is unreadable. */
function fillPart<Content>(
  slot: HTMLElement,
  part: ShownPart<Content>,
  createNodes: (content: Content) => (HTMLElement | string)[],
): void {
  slot.classList.toggle(ERROR_CLASS, 'unreadable' in part);
  slot.replaceChildren(
    ...('unreadable' in part ? [sayText(reader, part.unreadable)] : createNodes(part.content)),
  );
}

/** Does not recreate existing rows: a download may be in progress. */
function fillFiles(
  slot: HTMLElement,
  files: readonly CaseFile[],
  offerFile: (row: CaseFileRow) => void,
): void {
  slot.hidden = files.length === 0;
  if (slot.childElementCount === files.length) return;
  const rows = files.flatMap((file) => {
    const row = cloneTemplate('file', {
      name: createTextFiller(say('case.file.save', { file: file.label })),
    });
    const button = row?.querySelector<HTMLElement>('button');
    const status = row?.querySelector<HTMLElement>('[role="status"]');
    if (button && status) offerFile({ file, button, status });
    return row ?? [];
  });
  slot.replaceChildren(...rows);
}
