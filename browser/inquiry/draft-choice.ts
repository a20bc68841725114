/** The checkbox that keeps a draft, and what is restored from the draft into the form. */
import type { FormEntry } from '#browser/rpc/jobs.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import { isTextControl, readFormContent, readFormValue } from '#browser/ui/form-values.ts';
import { CLOSE_FORM_PART, DRAFT_PARTS, INQUIRY_HIDDEN_FIELDS, type InquiryPart } from '#wire/inquiry-page.ts';
import { DraftKeeper, hasStoredDraft, type OpenedDraft, openDraft } from './draft.ts';

/** Typing is saved once it pauses. */
const PAUSE_MS = 400;

export interface RestoredDraft {
  readonly draft: OpenedDraft | null;
  /** There was a draft, but it can no longer be opened. */
  readonly isLost: boolean;
}

export async function restoreDraft(form: HTMLFormElement): Promise<RestoredDraft> {
  if (!hasStoredDraft()) return { draft: null, isLost: false };
  const draft = await openDraft(form);
  return { draft, isLost: draft === null };
}

/** Returns a function that forgets the draft, for when the form is sent. */
export function offerDraft(
  form: HTMLFormElement,
  words: string,
  { draft, isLost }: RestoredDraft,
): () => void {
  const keeper = new DraftKeeper(readFormValue(form, INQUIRY_HIDDEN_FIELDS.token));
  const box = findById('keep-draft');
  let pause: ReturnType<typeof setTimeout> | undefined;
  const save = () =>
    void keeper.save({ words, fields: listKeptFields(form) }).catch(() => {
      void keeper.discard();
      showFailure(box);
    });
  box?.addEventListener('change', () => {
    if (!box.checked) return void keeper.discard();
    keeper.start();
    save();
  });
  form.addEventListener('input', () => {
    clearTimeout(pause);
    if (box?.checked) pause = setTimeout(save, PAUSE_MS);
  });
  showPart(DRAFT_PARTS.choice);
  showPart(CLOSE_FORM_PART);
  if (box) box.disabled = false;
  if (isLost) {
    showPart(DRAFT_PARTS.lost);
    void keeper.discard();
  }
  if (draft && box) {
    box.checked = true;
    fillForm(form, draft.fields);
    showPart(DRAFT_PARTS.restored);
    keeper.start(draft.halves);
    save();
  }
  return () => {
    clearTimeout(pause);
    keeper.discardHere();
  };
}

function showPart(part: InquiryPart): void {
  const element = findByData('part', part);
  if (element) element.hidden = false;
}

function showFailure(box: HTMLInputElement | null): void {
  if (box) box.checked = false;
  showPart(DRAFT_PARTS.failed);
}

/** All fields except files, which a script cannot choose again, and the hidden fields that the page itself contains. */
function listKeptFields(form: HTMLFormElement): readonly FormEntry[] {
  const own: readonly string[] = Object.values(INQUIRY_HIDDEN_FIELDS);
  return readFormContent(form).fields.filter(([name]) => !own.includes(name));
}

function fillForm(form: HTMLFormElement, fields: readonly FormEntry[]): void {
  const values = new Map(fields);
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && (field.type === 'radio' || field.type === 'checkbox')) {
      if (field.name !== '') field.checked = values.get(field.name) === field.value;
    } else if (isTextControl(field) && values.has(field.name)) field.value = values.get(field.name) ?? '';
    // Updates the character counts.
    field.dispatchEvent(new Event('input'));
  }
}
