/** The inquiry page: words made here, everything typed and attached sealed here, and sent without leaving the page. */
import { createSendingProgress } from '#browser/inquiry/sending-progress.ts';
import { createWordsList } from '#browser/inquiry/words-list.ts';
import { type PageWorker, showBrowserSealingNote, startPageWorker } from '#browser/rpc/page-end.ts';
import { parseRecipientList, readFormContent } from '#browser/ui/form-values.ts';
import { enableQuickExit, setUnloadWarning } from '#browser/ui/leave-button.ts';
import {
  createItemsFiller,
  createTextFiller,
  enablePrintButtons,
  showTemplate,
} from '#browser/ui/page-content.ts';
import { clearFormFaults, showError, showFormFaults } from '#browser/ui/problem-list.ts';
import type { InquiryFormInput, SealerJobs, SentInquiry } from '#browser/workers/sealer-jobs.ts';
import type { CaseKeyHolders } from '#seal/case-key.ts';

enableQuickExit();
enablePrintButtons();
const form = document.querySelector<HTMLFormElement>('form#inquiry');
if (form) void enhanceInquiryForm(form);

/** Where the sealer does not start, the form stays what it is without a script. */
async function enhanceInquiryForm(inquiry: HTMLFormElement): Promise<void> {
  const list = createWordsList(inquiry);
  const preventSubmit = (event: Event) => event.preventDefault();
  list.showPlaceholders();
  inquiry.addEventListener('submit', preventSubmit);
  try {
    const sealer = await startPageWorker<SealerJobs>();
    const words = await sealer.runJob('words', readKeyHolders(inquiry));
    list.showWords(words);
    showBrowserSealingNote();
    sendOnSubmit(inquiry, sealer, words);
  } catch {
    list.restoreServerWords();
    inquiry.removeEventListener('submit', preventSubmit);
  }
}

function sendOnSubmit(inquiry: HTMLFormElement, sealer: PageWorker<SealerJobs>, words: string): void {
  let busy = false;
  inquiry.addEventListener('submit', (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    void sendInquiry(inquiry, sealer, words).finally(() => {
      busy = false;
    });
  });
}

async function sendInquiry(
  inquiry: HTMLFormElement,
  sealer: PageWorker<SealerJobs>,
  words: string,
): Promise<void> {
  clearFormFaults();
  const filled = readInquiryForm(inquiry);
  const progress = createSendingProgress();
  try {
    const faults = await sealer.runJob('check', filled);
    if (faults.length > 0) return showFormFaults(faults);
    setUnloadWarning(true);
    progress.begin();
    const sent = await sealer.runJob('send', filled, progress.advance);
    sealer.terminate();
    showSentPage(sent, words, new Map(filled.fields).get('safety_risk') === 'immediate');
  } catch (error) {
    showError(error, 'send');
  } finally {
    setUnloadWarning(false);
    progress.end();
  }
}

function readKeyHolders({ dataset: { desk, recovery = '' } }: HTMLFormElement): CaseKeyHolders {
  return { desk: parseRecipientList(desk), recovery };
}

function readInquiryForm(inquiry: HTMLFormElement): InquiryFormInput {
  const { paymentRef = '', includesCall } = inquiry.dataset;
  return { ...readFormContent(inquiry), paymentRef, includesCall: includesCall === 'yes' };
}

function showSentPage({ due }: SentInquiry, words: string, inDanger: boolean): void {
  // What was typed is gone from the page with the form; the history must not lead back to it.
  history.replaceState(null, '', '/inquiry/sent');
  const main = showTemplate('sent', {
    due: createTextFiller(due),
    words: createItemsFiller('li', words.split(' ')),
  });
  const advice = main?.querySelector<HTMLElement>('[data-when="immediate"]');
  if (advice) advice.hidden = !inDanger;
}
