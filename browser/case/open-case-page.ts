/** The page of an open case: shows it, keeps it up to date, and closes it. */
import { findById } from '#browser/ui/find.ts';
import { say } from '#browser/ui/say.ts';
import { clearUnloadWarning } from '#browser/ui/unload-warning.ts';
import type { BrowserCaseView } from '#browser/workers/opener-jobs.ts';
import { clearCallView } from './call-view.ts';
import { enableCaseForms, handlePurged, type ShownState } from './case-actions.ts';
import { type CaseFileRow, showOpenedCase, updateShownCase } from './case-view.ts';
import type { CaseVisit } from './case-visit.ts';
import { closeWhenIdle } from './idle-lock.ts';
import { enableCopies } from './keep-copies.ts';
import { describeNews, watchForNews } from './news-watch.ts';
import { enableFileDownload } from './save-file.ts';
import { createSendingNote } from './sending-note.ts';

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
  const enableDownload = (row: CaseFileRow) => enableFileDownload(row, visit.opener, markActivity);
  const showView = (updated: BrowserCaseView) => {
    updateShownCase(updated, enableDownload);
    state.shown = updated;
  };
  showOpenedCase(opened, enableDownload);
  enableCaseForms(visit, state, showView, createSendingNote(markActivity));
  enableCopies(visit, () => state.shown, markActivity);
  watchForNews(visit, async () => await lookForNews(visit, state, showView));
  findById('close-case')?.addEventListener('click', () => closeCase(say('lock.closed')));
}

/** Returns what is new, or null if nothing was looked at. The answer to an act is newer than what was asked for beside it. */
async function lookForNews(
  visit: CaseVisit,
  state: ShownState,
  showView: (updated: BrowserCaseView) => void,
): Promise<string | null> {
  const { acts, pending } = state;
  if (pending > 0) return null;
  let news: string | null = null;
  await handlePurged(visit, async () => {
    const updated = await visit.opener.runJob('look', null);
    if (visit.ended.aborted || acts !== state.acts) return;
    news = describeNews(state.shown, updated);
    showView(updated);
  });
  return news;
}
