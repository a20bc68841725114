/** The step between writing and sending: every answer once more, each with a way back to it. */
import { createElement, showTop } from '#browser/ui/element.ts';
import { findAllWithData, findById, readData } from '#browser/ui/find.ts';
import { say } from '#browser/ui/say.ts';
import { showField } from '#browser/ui/show-field.ts';
import { ASKED_WORD_CONTROLS } from '#seal/form/inquiry-sections.ts';
import { FORM_STEPS, type FormStep, type InquiryPartId } from '#wire/inquiry-page.ts';
import { FIELD_CLASS } from '#wire/page-parts.ts';

export interface CheckStep {
  isShown(): boolean;
  show(): void;
  hide(): void;
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
  const title = heading?.textContent ?? '';
  const showStep = (step: FormStep) => {
    if (heading) heading.textContent = step === FORM_STEPS.check ? say('check.title') : title;
    for (const part of findAllWithData(document, 'step')) part.hidden = readData(part, 'step') !== step;
  };
  const step: CheckStep = {
    isShown: () => findById(ANSWERS)?.hidden === false,
    show: () => {
      findById(ANSWERS)
        ?.querySelector('dl')
        ?.replaceChildren(...listAnswers(form).map((answer) => createAnswerRow(answer, step)));
      showStep(FORM_STEPS.check);
      showTop(heading);
    },
    hide: () => showStep(FORM_STEPS.write),
  };
  findById('change')?.addEventListener('click', () => {
    step.hide();
    showTop(heading);
  });
  // A problem of a field leads back to it: before the link itself, which can only show what is not hidden.
  findById('problems')?.addEventListener(
    'click',
    ({ target }) => {
      const field = target instanceof HTMLAnchorElement ? target.hash.slice(1) : '';
      if (field !== '' && field !== ('send' satisfies InquiryPartId)) step.hide();
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
    step.hide();
    showField(control);
  });
  return createElement(
    'div',
    {},
    createElement('dt', {}, label),
    createElement('dd', { dir: 'auto' }, text || say('check.empty')),
    createElement('dd', {}, change),
  );
}

function listAnswers(form: HTMLFormElement): readonly Answer[] {
  const asked: readonly string[] = ASKED_WORD_CONTROLS;
  return [...form.querySelectorAll<HTMLElement>(`.${FIELD_CLASS}`)].flatMap((field) => {
    const controls = [...field.querySelectorAll<Control>('input, select, textarea')];
    const [first] = controls;
    const isGroup = field.querySelector(`.${FIELD_CLASS}`) !== null;
    if (!first || isGroup || asked.includes(first.name)) return [];
    return [{ control: first.id, label: readFieldLabel(field, first), text: readAnswer(controls, first) }];
  });
}

/** Without the mark of what is optional, which follows in an element of its own. */
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
