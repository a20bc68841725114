/** The step between writing and sending: shows every answer again, with a link back to its field. */
import { createElement, showTop } from '#browser/ui/element.ts';
import { findAllWithData, findById, readData } from '#browser/ui/find.ts';
import { showField } from '#browser/ui/problem-list.ts';
import { say } from '#browser/ui/say.ts';
import { ASKED_WORD_CONTROLS } from '#seal/form/inquiry-sections.ts';
import { FORM_STEPS, type FormStep, type InquiryPartId } from '#wire/inquiry-page.ts';
import { FIELD_CLASS } from '#wire/page-parts.ts';

/** It has its own history entry, so that Back leads from it to the form. */
export interface CheckStep {
  isShown(): boolean;
  show(): Promise<void>;
  /** Resolves once the history entry is left. */
  hide(): Promise<void>;
}

interface Answer {
  readonly control: string;
  readonly label: string;
  readonly text: string;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const ANSWERS: InquiryPartId = 'answers';

export function createCheckStep(form: HTMLFormElement): CheckStep {
  const heading = document.querySelector('h1');
  const names = { write: heading?.textContent ?? '', check: say('check.title') };
  const titles = { write: document.title, check: names.check };
  const { hash } = location;
  let left: Promise<unknown> = Promise.resolve();
  const isShown = () => findById(ANSWERS)?.hidden === false;
  const showStep = (shown: FormStep) => {
    if (heading) heading.textContent = names[shown];
    document.title = titles[shown];
    for (const part of findAllWithData(document, 'step')) part.hidden = readData(part, 'step') !== shown;
  };
  const showAnswers = () => {
    const answers = listAnswers(form);
    const rows = answers.filter(({ text }) => text !== '').map((answer) => createAnswerRow(answer, step));
    const blank = answers.filter(({ text }) => text === '').map(({ label }) => label);
    if (blank.length > 0) rows.push(createRow(say('check.empty'), blank.join('\n')));
    findById(ANSWERS)
      ?.querySelector('dl')
      ?.replaceChildren(...rows);
    showStep(FORM_STEPS.check);
    showTop(heading);
  };
  const step: CheckStep = {
    isShown,
    show: async () => {
      await left;
      // oxlint-disable-next-line no-restricted-properties -- the entry has the name of the step, and nothing typed
      history.pushState(FORM_STEPS.check, '');
      showAnswers();
    },
    hide: async () => {
      if (isShown()) showStep(FORM_STEPS.write);
      if (history.state !== FORM_STEPS.check) return;
      left = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
      history.back();
      await left;
    },
  };
  // A history state that survived a reload would make Back leave this page.
  history.replaceState(null, '');
  // This script itself scrolls to the field to change.
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => {
    if (!form.isConnected) return;
    if (history.state === FORM_STEPS.check) showAnswers();
    // A link within the page also fires `popstate`, and scrolls to its own place.
    else if (isShown() && location.hash === hash) {
      showStep(FORM_STEPS.write);
      showTop(heading);
    }
  });
  findById('change')?.addEventListener('click', () => {
    void step.hide();
    showTop(heading);
  });
  // Shows the form before the link's own listener runs, which cannot scroll to a hidden field.
  findById('problems')?.addEventListener(
    'click',
    ({ target }) => {
      const field = target instanceof HTMLAnchorElement ? target.hash.slice(1) : '';
      if (field !== '' && field !== ('send' satisfies InquiryPartId)) void step.hide();
    },
    true,
  );
  showStep(FORM_STEPS.write);
  return step;
}

function createAnswerRow({ control, label, text }: Answer, step: CheckStep): HTMLElement {
  const about = say('check.change.field', { label });
  const change = createElement('a', { href: `#${control}`, 'aria-label': about }, say('check.change'));
  change.addEventListener('click', (event) => {
    event.preventDefault();
    void step.hide();
    showField(control);
  });
  return createRow(label, text, createElement('dd', {}, change));
}

function createRow(label: string, text: string, ...more: readonly HTMLElement[]): HTMLElement {
  const answer = createElement('dd', { dir: 'auto' }, text);
  return createElement('div', {}, createElement('dt', {}, label), answer, ...more);
}

function listAnswers(form: HTMLFormElement): readonly Answer[] {
  const asked: readonly string[] = ASKED_WORD_CONTROLS;
  return [...form.querySelectorAll<HTMLElement>(`.${FIELD_CLASS}`)].flatMap((field) => {
    const controls = [...field.querySelectorAll<Control>('input, select, textarea')];
    const [first] = controls;
    const isGroup = field.querySelector(`.${FIELD_CLASS}`) !== null;
    if (!first || field.offsetParent === null || isGroup || asked.includes(first.name)) return [];
    return [{ control: first.id, label: readFieldLabel(field, first), text: readAnswer(controls, first) }];
  });
}

/** Omits the mark of optional fields, which is a separate element. */
function readFieldLabel(field: HTMLElement, first: Control): string {
  const label = field.querySelector('legend') ?? field.querySelector('label');
  const text = first.type === 'checkbox' ? label?.querySelector('span') : label;
  return text?.firstChild?.textContent?.trim() ?? '';
}

function readAnswer(controls: readonly Control[], first: Control): string {
  if (first instanceof HTMLSelectElement) return first.selectedOptions[0]?.text ?? '';
  if (first.type === 'file')
    return [...((first as HTMLInputElement).files ?? [])].map(({ name }) => name).join('\n');
  if (first.type === 'checkbox') return say((first as HTMLInputElement).checked ? 'check.yes' : 'check.no');
  if (first.type !== 'radio') return first.value.trim();
  const chosen = controls.find((control) => (control as HTMLInputElement).checked);
  return chosen?.closest('label')?.querySelector('span')?.textContent ?? '';
}
