/** Replaces the content of the page with a template and fills its slots. */
import { formatUtcHour, type ShownTime, type TimedText } from '#language/timed-text.ts';
import { createElement, showTop } from './element.ts';
import { findAllWithData, findById, readData, type SlotName, type TemplateId } from './find.ts';
import { say, timeLocale } from './say.ts';

const shownTimes = new WeakSet<Element>();

export type SlotFiller = (slot: HTMLElement) => void;
export type TemplateSlots<Slot extends string = string> = Readonly<Partial<Record<Slot, SlotFiller>>>;

/** Includes the dash before it; empty if the title leaves it out. */
const [siteName = ''] = / - .*$/.exec(document.title) ?? [];

/** Returns null if the page has no such template. */
export function showTemplate<Id extends TemplateId>(
  id: Id,
  slots: TemplateSlots<SlotName<Id>>,
): HTMLElement | null {
  const template = findById(id);
  const main = template && showMainContent(template.content.cloneNode(true));
  if (!main) return null;
  fillSlots(main, slots);
  // Another language would need another request, and would lose what is shown now.
  showLanguageChoice(false);
  document.title = `${readData(template, 'title')}${siteName}`;
  showTop(main.querySelector('h1'));
  return main;
}

export function showLanguageChoice(isShown: boolean): void {
  const languages = findById('languages');
  if (languages) languages.hidden = !isShown;
}

/** Preserves the templates, because one of them may be shown next. */
export function showMainContent(content: Node): HTMLElement | null {
  const main = document.querySelector('main');
  main?.replaceChildren(content, ...main.querySelectorAll('template'));
  return main;
}

/** Copies the content of a template and fills its slots. */
export function cloneTemplate<Id extends TemplateId>(
  id: Id,
  slots: TemplateSlots<SlotName<Id>>,
): HTMLElement | null {
  const template = findById(id);
  const clone = template?.content.firstElementChild?.cloneNode(true);
  if (!(clone instanceof HTMLElement)) return null;
  fillSlots(clone, slots);
  return clone;
}

/** Slots without a filler keep their content. */
export function fillSlots(root: ParentNode, slots: TemplateSlots): void {
  for (const slot of findAllWithData(root, 'slot')) slots[readData(slot, 'slot') ?? '']?.(slot);
  showLocalTimes(root);
}

export function createTextFiller(content: string): SlotFiller {
  return (slot) => {
    slot.hidden = content === '';
    slot.textContent = content;
  };
}

export function createItemsFiller(name: 'li' | 'p', texts: readonly string[]): SlotFiller {
  return (slot) => slot.replaceChildren(...texts.map((content) => createElement(name, {}, content)));
}

/** Fills a description list; text written by people has its own direction. */
export function createTermsFiller(
  rows: readonly { readonly label: string; readonly value: TimedText }[],
): SlotFiller {
  return (slot) =>
    slot.replaceChildren(
      ...rows.map(({ label, value }) =>
        createElement(
          'div',
          {},
          createElement('dt', {}, label),
          createElement('dd', { dir: 'auto' }, ...createTimedNodes(value)),
        ),
      ),
    );
}

export function createTimedFiller(text: TimedText): SlotFiller {
  return (slot) => {
    slot.hidden = text.length === 0;
    slot.replaceChildren(...createTimedNodes(text));
  };
}

export function createTimedNodes(text: TimedText): (HTMLElement | string)[] {
  return text.map((part) =>
    typeof part === 'string' ? part : createElement('time', { datetime: part.datetime }, part.text),
  );
}

function showLocalTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time')) {
    if (shownTimes.has(element)) continue;
    shownTimes.add(element);
    element.textContent = formatShownTime({ datetime: element.dateTime, text: element.textContent });
  }
}

/** Adds the reader's own zone: the server knows only UTC. */
export function formatShownTime({ datetime, text }: ShownTime): string {
  const time = new Date(datetime);
  if (time.getTimezoneOffset() === 0) return text;
  return say('time.local', { local: formatLocalTime(time), utc: formatUtcHour(time.getTime()) });
}

function formatLocalTime(time: Date): string {
  return new Intl.DateTimeFormat(timeLocale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(time.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(time);
}
