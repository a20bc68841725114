/** Shows an open case: first from the template, then updated in place after each action. */
import { createElement, moveFocus } from '#browser/ui/element.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import {
  cloneTemplate,
  createItemsFiller,
  createTermsFiller,
  createTextFiller,
  createTimedFiller,
  createTimedNodes,
  fillSlots,
  type SlotFiller,
  showTemplate,
  type TemplateSlots,
} from '#browser/ui/page-content.ts';
import { reader, say } from '#browser/ui/say.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import type { MarkdownNode as DocumentNode } from '#seal/case/markdown.ts';
import { toCallRows, toMessageText } from '#wire/call-rows.ts';
import {
  CASE_FORM_FIELDS,
  type CaseActionForm,
  type CaseSlot,
  countEarlierMessages,
} from '#wire/case-page.ts';
import type { CaseStep } from '#wire/case-requests.ts';
import { type DataKey, ERROR_CLASS, PRINTED_CLASS } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { updateCallView } from './call-view.ts';
import type { BrowserCaseView } from './case-session.ts';
import type { ShownPart, ThreadMessage } from './content-view.ts';

/** The download button of a file and its status line. */
export interface CaseFileRow {
  readonly file: CaseFile;
  readonly button: HTMLElement;
  readonly status: HTMLElement;
}

/** Calls `offerFile` once for every file that can be saved. */
export function showOpenedCase(opened: BrowserCaseView, offerFile: (row: CaseFileRow) => void): void {
  earlierMessages = countEarlierMessages(opened.thread);
  showTemplate('opened', createCaseSlots(opened, offerFile));
  updateParts(opened);
  const { finding, inquiry } = opened;
  findByData('part', 'steps')?.toggleAttribute('open', finding === null);
  // An unreadable inquiry is never folded away.
  findByData('part', 'inquiry')?.toggleAttribute('open', finding === null || 'said' in inquiry);
  const days = findById(CASE_FORM_FIELDS.keep);
  if (days) days.value = String(opened.keep_days);
}

/** Keeps everything that the buyer has typed, and updates only what has changed, because the buyer may be reading. */
export function updateShownCase(opened: BrowserCaseView, offerFile: (row: CaseFileRow) => void): void {
  fillSlots(document, createCaseSlots(opened, offerFile));
  updateParts(opened);
}

/** An empty text removes the news. */
export function showActionNews(news: string): void {
  fillSlots(document, { news: createTextFiller(news) });
  if (news) moveFocus(findByData('slot', 'news'));
}

/** Messages that were folded away when the case was opened; later ones stay in sight. */
let earlierMessages = 0;

/** The content that each element shows, as JSON. */
const shownContents = new WeakMap<Element, string>();

function createChangeFiller<Content>(
  content: Content,
  createFiller: (content: Content) => SlotFiller,
): SlotFiller {
  const text = JSON.stringify(content);
  return (slot) => {
    if (shownContents.get(slot) === text) return;
    shownContents.set(slot, text);
    createFiller(content)(slot);
  };
}

function createCaseSlots(
  opened: BrowserCaseView,
  offerFile: (row: CaseFileRow) => void,
): TemplateSlots<CaseSlot> {
  const { call, finding, inquiry, thread } = opened;
  return {
    title: createChangeFiller(opened.title, createTextFiller),
    clock: createChangeFiller(opened.clock, createTimedFiller),
    deletion: createChangeFiller(opened.deletion, createTimedFiller),
    money: createChangeFiller(opened.money, createTimedFiller),
    withdrawal: createChangeFiller(opened.withdrawal, createTimedFiller),
    sentences: createChangeFiller(opened.sentences, (texts) => createItemsFiller('p', texts)),
    differences: createChangeFiller(opened.differences, (differences) => (slot) => {
      slot.hidden = differences.length === 0;
      createItemsFiller(
        'p',
        differences.map((said) => sayText(reader, said)),
      )(slot);
    }),
    rows: createChangeFiller(opened.rows, createTermsFiller),
    fingerprint: createTextFiller(opened.fingerprint ?? ''),
    steps: createChangeFiller(opened.steps, (steps) => (slot) => {
      slot.replaceChildren(...steps.flatMap((step) => createStepEntry(step) ?? []));
    }),
    'call-rows': createChangeFiller(call, () => createTermsFiller(toCallRows(call, say, reader))),
    'call-summary': createTextFiller(say(call.booked ? 'case.call.another' : 'case.call.suggest')),
    earlier: (slot) => fillThread(slot, thread.slice(0, earlierMessages), offerFile),
    thread: (slot) => fillThread(slot, thread.slice(earlierMessages), offerFile),
    inquiry: createChangeFiller(inquiry, createInquiryFiller),
    'inquiry-files': (slot) => fillFiles(slot, opened.inquiryFiles, offerFile),
    finding: createChangeFiller(finding, () => (slot) => {
      if (finding) fillPart(slot, finding, (content) => createMarkdownElements(content.document));
    }),
    'finding-files': (slot) =>
      fillFiles(slot, finding && 'content' in finding ? finding.content.files : [], offerFile),
  };
}

function createInquiryFiller(inquiry: BrowserCaseView['inquiry']): SlotFiller {
  if ('content' in inquiry)
    return createTermsFiller(
      inquiry.content.map(({ label, text }) => ({
        label: sayText(reader, label),
        value: [sayText(reader, text)],
      })),
    );
  const fault = createElement('p', { class: `said ${ERROR_CLASS}` }, sayText(reader, inquiry.said));
  return (slot) => slot.replaceWith(fault);
}

function updateParts(opened: BrowserCaseView): void {
  const { may, finding, thread, look_again: lookAgain } = opened;
  for (const id of Object.keys(CASE_FORM_FIELDS) as CaseActionForm[]) setVisible(findById(id), may[id]);
  setVisible(findByData('part', 'finding'), finding !== null);
  setVisible(findByData('part', 'messages'), may.write || thread.length > 0);
  setVisible(findByData('part', 'earlier'), earlierMessages > 0);
  // The finding and the messages are placed before the steps.
  const steps = findByData('part', 'steps');
  const isQuiet = finding === null && thread.length === 0;
  const place = findByData('part', isQuiet ? 'messages' : 'call');
  if (steps && steps.nextElementSibling !== place) place?.before(steps);
  findByData('slot', 'inquiry')?.classList.toggle(PRINTED_CLASS, finding === null);
  setVisible(findByData('part', 'notices'), may.notify);
  setVisible(findByData('part', 'reminder'), lookAgain.length > 0);
  setVisible(findByData('part', 'call'), may.call);
  updateCallView(opened.call, opened.call_asked);
}

function setVisible(element: HTMLElement | null, isVisible: boolean): void {
  if (element) element.hidden = !isVisible;
}

function createStepEntry({ stage, label, when }: CaseStep): HTMLElement | null {
  const entry = cloneTemplate('step', { name: createTextFiller(label), when: createTimedFiller(when) });
  entry?.classList.add(stage);
  if (stage === 'current') entry?.setAttribute('aria-current', 'step');
  return entry;
}

/** Messages that are shown already stay as they are. */
function fillThread(
  slot: HTMLElement,
  thread: readonly ThreadMessage[],
  offerFile: (row: CaseFileRow) => void,
): void {
  slot.hidden = thread.length === 0;
  const isShown = (message: ThreadMessage, index: number) =>
    shownContents.get(slot.children[index] ?? slot) === JSON.stringify(message);
  const changed = thread.findIndex((message, index) => !isShown(message, index));
  const kept = changed < 0 ? thread.length : changed;
  for (const entry of [...slot.children].slice(kept)) entry.remove();
  slot.append(...thread.slice(kept).flatMap((message) => createThreadEntry(message, offerFile) ?? []));
}

function createThreadEntry(
  message: ThreadMessage,
  offerFile: (row: CaseFileRow) => void,
): HTMLElement | null {
  const { by, at, files, said, mark } = message;
  const entry = cloneTemplate('entry', {
    who: createTextFiller(say(by === 'buyer' ? 'case.you' : 'case.investigator')),
    when: createTimedFiller(at ? [at] : []),
    text: (slot) => fillPart(slot, said, (content) => createTimedNodes(toMessageText(content, say, reader))),
    'message-files': (slot) => fillFiles(slot, files, offerFile),
    mark: createTextFiller(sayText(reader, mark)),
  });
  entry?.classList.add(message.by, message.link);
  if (entry) shownContents.set(entry, JSON.stringify(message));
  return entry;
}

/** Shows the error if the part is unreadable. */
function fillPart<Content>(
  slot: HTMLElement,
  part: ShownPart<Content>,
  createNodes: (content: Content) => (HTMLElement | string)[],
): void {
  slot.classList.toggle(ERROR_CLASS, 'said' in part);
  slot.replaceChildren(...('said' in part ? [sayText(reader, part.said)] : createNodes(part.content)));
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

/** Builds page elements from a parsed Markdown document; HTML in it stays text. */
export function createMarkdownElements(nodes: readonly DocumentNode[]): (HTMLElement | string)[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return node;
    const element = document.createElement(node.tag);
    if (element instanceof HTMLAnchorElement) {
      element.href = node.href ?? '';
      element.rel = 'noreferrer';
    }
    if (node.label !== undefined) element.dataset['label' satisfies DataKey] = node.label;
    if (node.tag === 'th') element.setAttribute('scope', 'col');
    element.append(...createMarkdownElements(node.children));
    return element;
  });
}
