/** A long delivery in progress: how much has been sealed and sent, streamed in one answer without a script. */
import { OfficeFault } from '#desk/office/office-fault.ts';
import { formatFileSize } from '#seal/form/inquiry-text.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';

export interface DeliveryState {
  readonly id: string;
  readonly buyer: string;
  sent: number;
  total: number;
}

interface DeliverySteps {
  readonly delivery: Promise<void>;
  /** Waits before the next progress line. */
  readonly step: () => Promise<void>;
  readonly findNext: () => Promise<string>;
  /** The offer to take it back, as on every other page. */
  readonly renderOffer: () => Html | undefined;
}

/** Each line replaces the previous one: the stylesheet hides a `.wait` that something follows. */
export async function* renderDeliveryPage(
  state: DeliveryState,
  { delivery, step, findNext, renderOffer }: DeliverySteps,
): AsyncGenerator<Html> {
  const name = nameCase(state.id);
  yield renderOpening(name, state.buyer);
  const over = delivery.then(
    () => ({ error: null }),
    (error: unknown) => ({ error }),
  );
  for (;;) {
    yield html`<div class="wait"><p class="small" role="status">${formatFileSize(state.sent)} of ${formatFileSize(state.total)} sealed and sent</p><progress max="${Math.max(1, state.total)}" value="${state.sent}" aria-label="Sent"></progress></div>`;
    const ended = await Promise.race([over, step()]);
    if (ended && ended.error !== null) return yield renderFailure(state.id, ended.error);
    if (ended) return yield renderClosing(state.id, await findNext(), renderOffer());
  }
}

/** Leaves its elements open for the parts that follow. */
function renderOpening(name: string, buyer: string): Html {
  return html`<main class="page" id="main"><div class="wrap"><header class="page-head"><h1>Delivering ${name} to ${buyer}</h1></header>`;
}

function renderFailure(id: string, error: unknown): Html {
  if (!(error instanceof OfficeFault)) throw error;
  return html`<div class="sheet task"><div class="problems" role="alert"><h2>Nothing was delivered</h2><p>${error.message}</p><p>Your text and files are still here.</p></div><p class="acts"><a class="button" href="/cases/${id}/finding">Continue writing</a></p></div></div></main>`;
}

function renderClosing(id: string, next: string, offer: Html | undefined): Html {
  return html`<div class="sheet task"><p class="title">${nameCase(id)} is delivered</p><p class="acts"><a class="button" href="${next}" aria-keyshortcuts="n" autofocus>${next === '/queue' ? 'Back to the queue' : 'Go to the next case'}</a></p></div>${offer ?? null}</div></main>`;
}
