/** Finds and reads elements by the names that pages and scripts share; the compiler checks every name. */
import type { CALL_NUMBER_CONTROL, CALL_ZONE_CONTROL } from '#seal/form/call-form.ts';
import type {
  ASKED_WORD_CONTROLS,
  FILES_CONTROL,
  KEEP_EVIDENCE_CONTROL,
} from '#seal/form/inquiry-sections.ts';
import type {
  CASE_FORM_FIELDS,
  CaseActionForm,
  CaseButton,
  CasePart,
  CaseSlot,
  CaseTemplate,
  FIND_FORM_ID,
  PRACTICE_FORM_ID,
} from '#wire/case-page.ts';
import type { CONTACT_FORM_ID } from '#wire/contact-page.ts';
import type {
  IMMEDIATE_DANGER,
  INQUIRY_FORM_ID,
  InquiryPart,
  InquiryPartId,
  InquirySentSlot,
} from '#wire/inquiry-page.ts';
import type { DataKey, PartId, SENT_TEMPLATE, WORDS_FIELD } from '#wire/page-parts.ts';
import type { WORDS_FORM_ID } from '#wire/sign-in-page.ts';

export type FormId =
  | CaseActionForm
  | typeof FIND_FORM_ID
  | typeof PRACTICE_FORM_ID
  | typeof CONTACT_FORM_ID
  | typeof WORDS_FORM_ID
  | typeof INQUIRY_FORM_ID;
export type TemplateId = CaseTemplate | typeof SENT_TEMPLATE;
export type SlotName<Id extends TemplateId> = Id extends CaseTemplate ? CaseSlot : InquirySentSlot;

interface PageElements
  extends Record<PartId | InquiryPartId | CaseButton | typeof WORDS_FIELD, HTMLElement>,
    Record<FormId, HTMLFormElement>,
    Record<TemplateId, HTMLTemplateElement>,
    Record<
      | (typeof ASKED_WORD_CONTROLS)[number]
      | typeof CALL_NUMBER_CONTROL
      | typeof CALL_ZONE_CONTROL
      | typeof FILES_CONTROL
      | typeof KEEP_EVIDENCE_CONTROL,
      HTMLInputElement
    >,
    Record<(typeof CASE_FORM_FIELDS)['write'], HTMLTextAreaElement>,
    Record<(typeof CASE_FORM_FIELDS)['keep'], HTMLSelectElement> {
  leave: HTMLAnchorElement;
  sentences: HTMLTemplateElement;
  send: HTMLButtonElement;
  'keep-draft': HTMLInputElement;
  'close-form': HTMLInputElement;
}

export function findById<Id extends keyof PageElements>(id: Id): PageElements[Id] | null {
  return document.querySelector<PageElements[Id]>(`#${id}`);
}

export function findByData(
  key: DataKey,
  value: CasePart | CaseSlot | typeof IMMEDIATE_DANGER | InquiryPart,
): HTMLElement | null {
  return document.querySelector(`[data-${key}="${value}"]`);
}

export function findAllWithData(root: ParentNode, key: DataKey): NodeListOf<HTMLElement> {
  return root.querySelectorAll(`[data-${key}]`);
}

export function readData(element: HTMLElement, key: DataKey): string | undefined {
  return element.getAttribute(`data-${key}`) ?? undefined;
}
