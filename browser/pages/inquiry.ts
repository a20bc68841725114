/** The inquiry page: words made here, everything typed and attached sealed here, and sent without leaving the page. */
import { showProgress } from '#browser/inquiry/sending-progress.ts';
import { wordsList } from '#browser/inquiry/words-list.ts';
import { type PageWorker, showDoneHere, startWorker } from '#browser/rpc/page-end.ts';
import { contentOf, recipientsIn } from '#browser/ui/form-values.ts';
import { offerLeaving, warnBeforeUnload } from '#browser/ui/leave-button.ts';
import { items, offerPrinting, showInstead, text } from '#browser/ui/page-content.ts';
import { clearProblems, showFault, showProblems } from '#browser/ui/problem-list.ts';
import type { Holders, InquiryForm, SealerJobs, SentInquiry } from '#browser/workers/sealer-jobs.ts';

offerLeaving();
offerPrinting();
const form = document.querySelector<HTMLFormElement>('form#inquiry');
if (form) void takeOver(form);

/** Where the sealer does not start, the form stays what it is without a script. */
async function takeOver(inquiry: HTMLFormElement): Promise<void> {
  const list = wordsList(inquiry);
  const holdBack = (event: Event) => event.preventDefault();
  list.showMaking();
  inquiry.addEventListener('submit', holdBack);
  try {
    const sealer = await startWorker<SealerJobs>();
    const words = await sealer.ask('words', holdersIn(inquiry));
    list.show(words);
    showDoneHere();
    sendWith(inquiry, sealer, words);
  } catch {
    list.restore();
    inquiry.removeEventListener('submit', holdBack);
  }
}

function sendWith(inquiry: HTMLFormElement, sealer: PageWorker<SealerJobs>, words: string): void {
  let busy = false;
  inquiry.addEventListener('submit', (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    void send(inquiry, sealer, words).finally(() => {
      busy = false;
    });
  });
}

async function send(inquiry: HTMLFormElement, sealer: PageWorker<SealerJobs>, words: string): Promise<void> {
  clearProblems();
  const filled = filledForm(inquiry);
  const progress = showProgress();
  try {
    const faults = await sealer.ask('check', filled);
    if (faults.length > 0) return showProblems(faults);
    warnBeforeUnload(true);
    progress.begin();
    const sent = await sealer.ask('send', filled, progress.advance);
    sealer.end();
    showSent(sent, words, new Map(filled.fields).get('safety_risk') === 'immediate');
  } catch (error) {
    showFault(error, 'send');
  } finally {
    warnBeforeUnload(false);
    progress.end();
  }
}

function holdersIn({ dataset: { desk, recovery = '' } }: HTMLFormElement): Holders {
  return { desk: recipientsIn(desk), recovery };
}

function filledForm(inquiry: HTMLFormElement): InquiryForm {
  const { paymentRef = '', includesCall } = inquiry.dataset;
  return { ...contentOf(inquiry), paymentRef, includesCall: includesCall === 'yes' };
}

function showSent({ due }: SentInquiry, words: string, inDanger: boolean): void {
  // What was typed is gone from the page with the form; the history must not lead back to it.
  history.replaceState(null, '', '/inquiry/sent');
  const main = showInstead('sent', { due: text(due), words: items('li', words.split(' ')) });
  const advice = main?.querySelector<HTMLElement>('[data-when="immediate"]');
  if (advice) advice.hidden = !inDanger;
}
