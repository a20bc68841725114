/** How an open case is shown: in the template of the page at first, and again in place after each change. */
import { elementsOf } from '#browser/ui/document-view.ts';
import { copyOf, fill, items, type Slots, showInstead, terms, text } from '#browser/ui/page-content.ts';
import type { OpenedCase, Part, ShownFinding, Written } from '#browser/workers/opener-jobs.ts';

/** What asks for a file, and the line beside it that tells how far it has come. */
export interface FileRow {
  readonly seq: number;
  readonly button: HTMLElement;
  readonly status: HTMLElement;
}

const names = { buyer: 'You', desk: 'Investigator' } as const;

/** `offerFile` is told of every file that can be saved, once. */
export function showCase(opened: OpenedCase, offerFile: (row: FileRow) => void): void {
  const main = showInstead('opened', slotsOf(opened, offerFile));
  if (main) showForms(main, opened);
  const days = main?.querySelector<HTMLSelectElement>('#keep_days');
  if (days) days.value = String(opened.keep_days);
}

/** Nothing that is typed is touched. */
export function showChange(opened: OpenedCase, news: string, offerFile: (row: FileRow) => void): void {
  const main = document.querySelector('main');
  if (!main) return;
  fill(main, { ...slotsOf(opened, offerFile), news: text(news) });
  showForms(main, opened);
  const said = main.querySelector<HTMLElement>('[data-slot="news"]');
  if (said) said.tabIndex = -1;
  said?.focus();
}

function slotsOf(opened: OpenedCase, offerFile: (row: FileRow) => void): Slots {
  const { title, clock, sentences, rows, inquiry, thread, finding } = opened;
  return {
    title: text(title),
    clock: text(clock),
    sentences: items('p', sentences),
    rows: terms(rows.map(({ label, value }) => ({ label, text: value }))),
    thread: (slot) => {
      slot.hidden = thread.length === 0;
      slot.replaceChildren(...thread.flatMap((message) => entryOf(message) ?? []));
    },
    inquiry: (slot) => {
      if ('content' in inquiry) terms(inquiry.content)(slot);
      else slot.replaceWith(refusal(inquiry.unreadable));
    },
    finding: (slot) => finding && fillPart(slot, finding, (content) => elementsOf(content.document)),
    'finding-files': (slot) => fillFiles(slot, finding, offerFile),
  };
}

function showForms(main: HTMLElement, { may, finding }: OpenedCase): void {
  for (const id of ['write', 'keep', 'withdraw', 'purge'] as const) show(main, `#${id}`, may[id]);
  show(main, '[data-part="finding"]', finding !== null);
  show(main, '[data-part="call"]', may.call);
  // Times that were chosen before the call was held must not go along.
  const times = main.querySelector<HTMLFieldSetElement>('[data-part="call"] fieldset');
  if (times) times.disabled = !may.call;
  // They are an answer too.
  const message = main.querySelector<HTMLTextAreaElement>('#message');
  if (message) message.required = !may.call;
}

function show(main: HTMLElement, selector: string, isShown: boolean): void {
  const part = main.querySelector<HTMLElement>(selector);
  if (part) part.hidden = !isShown;
}

function entryOf({ by, at, said }: Written): HTMLElement | null {
  const entry = copyOf('entry', {
    who: text(names[by]),
    when: text(at),
    text: (slot) => fillPart(slot, said, (content) => [content]),
  });
  entry?.classList.add(by);
  return entry;
}

/** What cannot be read says why, in its place. */
function fillPart<Content>(
  slot: HTMLElement,
  part: Part<Content>,
  shown: (content: Content) => (HTMLElement | string)[],
): void {
  slot.classList.toggle('error', 'unreadable' in part);
  slot.replaceChildren(...('unreadable' in part ? [part.unreadable] : shown(part.content)));
}

/** Left alone once they are there: one of them may be on its way. */
function fillFiles(
  slot: HTMLElement,
  finding: Part<ShownFinding> | null,
  offerFile: (row: FileRow) => void,
): void {
  const files = finding && 'content' in finding ? finding.content.files : [];
  if (slot.childElementCount === files.length) return;
  const rows = files.flatMap((file, seq) => {
    const row = copyOf('file', { name: text(`Save ${file}`) });
    const button = row?.querySelector<HTMLElement>('button');
    const status = row?.querySelector<HTMLElement>('[role="status"]');
    if (button && status) offerFile({ seq, button, status });
    return row ?? [];
  });
  slot.replaceChildren(...rows);
}

function refusal(sentence: string): HTMLElement {
  const note = document.createElement('p');
  note.className = 'error';
  note.textContent = sentence;
  return note;
}
