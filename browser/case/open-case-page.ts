/** The page of an open case: shows it, keeps it up to date, and closes it. */
import { interceptSubmit } from '#browser/ui/async-form.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import { readFormValue } from '#browser/ui/form-values.ts';
import { say, timeLocale, toFaultText } from '#browser/ui/say.ts';
import { clearUnloadWarning, hasTypedText } from '#browser/ui/unload-warning.ts';
import { type CaseSlot, CLOSED_ENTRY, FIRST_ENTRY } from '#wire/case-page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { clearCallView } from './call-view.ts';
import { enableCaseForms, handlePurged, type ShownState } from './case-actions.ts';
import type { BrowserCaseView } from './case-session.ts';
import { type CaseFileRow, showActionNews, showOpenedCase, updateShownCase } from './case-view.ts';
import { type CaseVisit, runEveryFewSeconds } from './case-visit.ts';
import { enableCopies, enableFileDownload } from './keep-copies.ts';

const NEWS_EVERY_MS = 60_000;
/** The wait doubles after each failure, up to this limit. */
const MAX_NEWS_PAUSE_MS = 16 * NEWS_EVERY_MS;

const MINUTE_MS = 60_000;
const IDLE_MINUTES = 15;
/** Without `scroll`, because the page scrolls by itself when news arrives. People scroll with one of these. */
const ACTIVITY = ['input', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'wheel'] as const;

/** `showLookup` gets the reason why the case was closed. */
export function startCasePage(
  opened: BrowserCaseView,
  visit: CaseVisit,
  showLookup: (reason: string) => void,
): void {
  const state: ShownState = { shown: opened, acts: 0, pending: 0 };
  const closeCase = (reason: string) => {
    visit.end();
    showLookup(reason);
  };
  visit.ended.addEventListener('abort', () => {
    clearUnloadWarning();
    clearCallView();
  });
  const markActivity = closeWhenIdle(visit, closeCase);
  const enableDownload = (row: CaseFileRow) => enableFileDownload(row, visit, markActivity);
  const showView = (updated: BrowserCaseView) => {
    updateShownCase(updated, enableDownload);
    state.shown = updated;
  };
  showOpenedCase(opened, enableDownload);
  enableCaseForms(visit, { state, showView, markActivity });
  enableCopies(visit, () => state.shown, markActivity);
  offerPractice(visit);
  watchForNews(visit, async () => await lookForNews(visit, state, showView));
  findById('close-case')?.addEventListener('click', () => {
    if (!hasTypedText() || confirm(say('lock.unsent'))) closeCase(say('lock.closed'));
  });
  // A buyer who came from the sent page has not typed the words, so Back shows the form for the words.
  const onBack = ({ state: entry }: PopStateEvent) => {
    if (entry === CLOSED_ENTRY) closeCase(say('lock.closed'));
  };
  addEventListener('popstate', onBack, { signal: visit.ended });
}

/** Offered once, to a buyer who has not typed the words yet: the copy may be wrong, and nothing helps later. */
function offerPractice({ opener }: CaseVisit): void {
  const part = findByData('part', 'practice');
  const form = findById('practice');
  const isFirst = history.state === FIRST_ENTRY;
  if (!isFirst) part?.remove();
  if (!isFirst || !part || !form) return;
  history.replaceState(null, '');
  part.hidden = false;
  const send = async () => {
    const isRight = await opener.runJob('practise', { words: readFormValue(form, WORDS_FIELD) });
    form.reset();
    writeSlot('practised', say(isRight ? 'practice.right' : 'practice.wrong'));
  };
  interceptSubmit(form, { field: WORDS_FIELD, send });
}

/** Returns what is new; null if it did not look, or if the buyer has acted meanwhile and got a newer response. */
async function lookForNews(
  visit: CaseVisit,
  state: ShownState,
  showView: (updated: BrowserCaseView) => void,
): Promise<string | null> {
  const { acts, pending } = state;
  if (pending > 0) return null;
  let news: string | null = null;
  await handlePurged(visit, async () => {
    const updated = await visit.opener.runJob('look', undefined);
    if (visit.ended.aborted || acts !== state.acts) return;
    news = describeNews(state.shown, updated);
    if (news) showActionNews('');
    showView(updated);
  });
  return news;
}

/** `close` gets the reason. Returns a function that marks other activity, such as a long download. */
function closeWhenIdle({ ended }: CaseVisit, close: (reason: string) => void): () => void {
  let last = readClocks();
  const checkIdle = () => {
    const idleMs = computeElapsed(last);
    if (ended.aborted) return;
    if (idleMs >= IDLE_MINUTES * MINUTE_MS)
      close(say('lock.idle', { minutes: IDLE_MINUTES }) + (hasTypedText() ? ` ${say('lock.lost')}` : ''));
    else showWarning(idleMs >= (IDLE_MINUTES - 1) * MINUTE_MS);
  };
  const markActivity = () => {
    // The first touch after a long sleep must not find the case open.
    checkIdle();
    last = readClocks();
  };
  for (const type of ACTIVITY)
    document.addEventListener(type, markActivity, { signal: ended, passive: true, capture: true });
  runEveryFewSeconds(checkIdle, ended);
  // Other activity hides the warning only at the next check, so that this button does not vanish under the pointer.
  const onClick = ({ target }: Event) => {
    if (target === findById('stay')) checkIdle();
  };
  document.addEventListener('click', onClick, { signal: ended });
  return markActivity;
}

/** The first clock keeps running while a phone sleeps, but may be set; the second may stop, but never goes back. */
function readClocks(): readonly [number, number] {
  return [Date.now(), performance.now()];
}

function computeElapsed(since: readonly [number, number]): number {
  return Math.max(...readClocks().map((now, index) => now - (since[index] ?? now)));
}

function showWarning(isNear: boolean): void {
  const warning = findByData('part', 'idle');
  const text = findByData('slot', 'idle');
  if (!warning || !text || warning.hidden !== isNear) return;
  warning.hidden = !isNear;
  // Screen readers announce text that is put into an alert, not text that was there before.
  text.textContent = isNear ? say('lock.warning') : '';
}

/** `look` shows the news and returns what to announce: an empty text if nothing is new, null if it did not look. */
function watchForNews({ ended }: CaseVisit, look: () => Promise<string | null>): void {
  let waitMs = NEWS_EVERY_MS;
  let dueAt = performance.now() + waitMs;
  let busy = false;
  const lookOnce = async (sayMore: (text: string, isFault: boolean) => void) => {
    if (busy) return;
    busy = true;
    try {
      const news = await look();
      if (news === null || ended.aborted) return;
      waitMs = NEWS_EVERY_MS;
      writeSlot('looked', say('look.at', { time: formatHour(new Date()) }));
      if (news) writeSlot('fresh', news);
      else sayMore(say('look.nothing'), false);
    } catch (error) {
      waitMs = Math.min(MAX_NEWS_PAUSE_MS, waitMs * 2);
      sayMore(toFaultText(error), true);
    } finally {
      busy = false;
      dueAt = performance.now() + waitMs;
    }
  };
  const lookQuietly = () => {
    if (!document.hidden && performance.now() >= dueAt) void lookOnce(() => undefined);
  };
  runEveryFewSeconds(lookQuietly, ended);
  findById('look')?.addEventListener('click', () => void lookOnce((text) => writeSlot('fresh', text)));
}

function describeNews(before: BrowserCaseView, after: BrowserCaseView): string {
  if (before.finding === null && after.finding !== null) return say('look.answer');
  if (after.seen > before.seen) return say('look.message');
  return after.state === before.state ? '' : say('look.changed', { title: after.title });
}

function writeSlot(name: Extract<CaseSlot, 'looked' | 'fresh' | 'practised'>, text: string): void {
  const slot = findByData('slot', name);
  // Emptied first, so that a screen reader repeats the same sentence.
  if (slot) slot.textContent = '';
  if (slot) slot.textContent = text;
}

function formatHour(time: Date): string {
  return new Intl.DateTimeFormat(timeLocale, { hour: 'numeric', minute: '2-digit' }).format(time);
}
