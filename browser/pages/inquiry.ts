/** The inquiry page: generates the words, seals the form and its files, and sends them without leaving the page. */

import { type ChosenFiles, offerFileList } from '#browser/files/chosen-files.ts';
import { type CheckStep, createCheckStep } from '#browser/inquiry/check-step.ts';
import { offerDraft, openDraft } from '#browser/inquiry/draft.ts';
import { offerWayToCase } from '#browser/inquiry/go-to-case.ts';
import type { InquiryFormInput, PageSealingKeys } from '#browser/inquiry/seal-inquiry.ts';
import { createWordsList, enableWordTools } from '#browser/inquiry/words-list.ts';
import { toUserFacingErrorData } from '#browser/rpc/fault.ts';
import { type PageWorker, showSealingNote, startPageWorker } from '#browser/rpc/page-end.ts';
import { countTypedCharacters } from '#browser/ui/character-count.ts';
import { runOneAtATime, writeStatus } from '#browser/ui/element.ts';
import { findAllWithData, findByData, findById, readData } from '#browser/ui/find.ts';
import { parseRecipientList, readFormContent } from '#browser/ui/form-values.ts';
import { createItemsFiller, createTimedFiller, showTemplate } from '#browser/ui/page-content.ts';
import { clearFormFaults, showError, showFormFaults } from '#browser/ui/problem-list.ts';
import { hideTitleWhilePrinting } from '#browser/ui/save-and-print.ts';
import { sayProgress } from '#browser/ui/say.ts';
import { clearUnloadWarning, warnOnceTyped } from '#browser/ui/unload-warning.ts';
import type { SealerJobs } from '#browser/workers/sealer.ts';
import {
  DANGER_FIELD,
  IMMEDIATE_DANGER,
  INCLUDES_CALL,
  INQUIRY_SENT_PATH,
  type InquiryPartId,
  UNCLEAN_KINDS_PART,
  WORDS_CLASS,
} from '#wire/inquiry-page.ts';
import type { SentInquiry } from '#wire/inquiry-requests.ts';

countTypedCharacters();
enableWordTools();
hideTitleWhilePrinting(`.${WORDS_CLASS}`);
const form = findById('inquiry');
if (form) void enhanceInquiryForm(form);

/** If the sealer does not start, the form works as without a script. */
async function enhanceInquiryForm(inquiry: HTMLFormElement): Promise<void> {
  const list = createWordsList();
  const preventSubmit = (event: Event) => event.preventDefault();
  list.showPlaceholders();
  warnOnceTyped(inquiry);
  inquiry.addEventListener('submit', preventSubmit);
  try {
    const sealer = await startPageWorker<SealerJobs>();
    const draft = await openDraft(inquiry);
    const previous = draft?.words;
    const words = await sealer.runJob('words', { ...readSealingKeys(inquiry), previous });
    list.showWords(words, previous !== undefined);
    const forgetDraft = offerDraft(inquiry, words, draft);
    const files = offerFileList((chosen) => sealer.runJob('inspect', chosen));
    const note = findByData('part', UNCLEAN_KINDS_PART);
    if (note) note.hidden = true;
    showSealingNote('browser');
    sendOnSubmit(inquiry, { sealer, words, files, forgetDraft });
  } catch {
    list.restoreServerWords();
    showSealingNote('server');
    inquiry.removeEventListener('submit', preventSubmit);
  }
}

function sendOnSubmit(inquiry: HTMLFormElement, parts: Omit<SendingParts, 'step'>): void {
  const step = createCheckStep(inquiry);
  const send = runOneAtATime(() => sendInquiry(inquiry, { ...parts, step }));
  inquiry.addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
}

interface SendingParts {
  readonly sealer: PageWorker<SealerJobs>;
  readonly words: string;
  readonly files: ChosenFiles | null;
  readonly step: CheckStep;
  readonly forgetDraft: () => void;
}

/** The first submit shows the answers again; only the next one sends them. */
async function sendInquiry(
  inquiry: HTMLFormElement,
  { sealer, words, files, step, forgetDraft }: SendingParts,
): Promise<void> {
  clearFormFaults();
  const input = await readInquiryForm(inquiry, files);
  try {
    const faults = await sealer.runJob('check', input);
    if (faults.length > 0) {
      void step.hide();
      return showFormFaults(faults);
    }
    if (!step.isShown()) return await step.show();
    holdPage(true);
    showProgress(0);
    const sent = await sealer.runJob('send', input, showProgress);
    sealer.terminate();
    clearUnloadWarning();
    forgetDraft();
    await step.hide();
    showSentPage(sent, words, new Map(input.fields).get(DANGER_FIELD) === IMMEDIATE_DANGER);
  } catch (error) {
    // For example, a picture that cannot be cleaned: its field is on the form.
    if (toUserFacingErrorData(error).field) void step.hide();
    showError(error, 'send' satisfies InquiryPartId);
  } finally {
    holdPage(false);
  }
}

/** While sending; the form has already been read, so a change would be silently ignored. */
function holdPage(isHeld: boolean): void {
  const progress = findById('progress');
  const button = findById('send');
  if (progress) progress.hidden = !isHeld;
  if (button) button.disabled = isHeld;
  for (const step of findAllWithData(document, 'step')) step.inert = isHeld;
}

function showProgress(share: number, isWaiting?: boolean): void {
  const bar = findById('progress')?.querySelector('progress');
  if (bar) bar.value = share * bar.max;
  writeStatus(findById('progress')?.querySelector('[role="status"]'), sayProgress(share, isWaiting));
}

function readSealingKeys(inquiry: HTMLFormElement): PageSealingKeys {
  return {
    desk: parseRecipientList(readData(inquiry, 'desk')),
    recovery: readData(inquiry, 'recovery') ?? '',
    set: readData(inquiry, 'sealing-set') ?? '',
  };
}

async function readInquiryForm(
  inquiry: HTMLFormElement,
  chosen: ChosenFiles | null,
): Promise<InquiryFormInput> {
  const { fields, files } = readFormContent(inquiry);
  return {
    fields,
    files: (await chosen?.collectFiles()) ?? files,
    paymentRef: readData(inquiry, 'payment-ref') ?? '',
    includesCall: readData(inquiry, 'includes-call') === INCLUDES_CALL.yes,
  };
}

function showSentPage({ due }: SentInquiry, words: string, inDanger: boolean): void {
  // The form is removed from the page, and the history must not lead back to it.
  history.replaceState(null, '', INQUIRY_SENT_PATH);
  showTemplate('sent', {
    due: createTimedFiller([due]),
    words: createItemsFiller('li', words.split(' ')),
  });
  enableWordTools();
  offerWayToCase(words);
  const advice = findByData('when', IMMEDIATE_DANGER);
  if (advice) advice.hidden = !inDanger;
}
