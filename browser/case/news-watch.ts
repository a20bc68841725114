/** Looks for what is new in the open case: when asked, and once a minute while the page can be seen. */
import { toFaultText } from '#browser/ui/fault-text.ts';
import { findByData, findById } from '#browser/ui/find.ts';
import { say } from '#browser/ui/say.ts';
import type { BrowserCaseView } from '#browser/workers/opener-jobs.ts';
import type { CaseSlot } from '#wire/case-page.ts';
import { type CaseVisit, runEveryFewSeconds } from './case-visit.ts';

const EVERY_MS = 60_000;
/** While it fails, the wait doubles up to this. */
const LONGEST_MS = 16 * EVERY_MS;

/** `look` shows what has come and returns what to say about it: nothing, if there was nothing; null, if it did not look. */
export function watchForNews({ ended }: CaseVisit, look: () => Promise<string | null>): void {
  let waitMs = EVERY_MS;
  let dueAt = performance.now() + waitMs;
  let busy = false;
  const lookOnce = async (sayMore: (text: string, isFault: boolean) => void) => {
    if (busy) return;
    busy = true;
    try {
      const news = await look();
      if (news === null || ended.aborted) return;
      waitMs = EVERY_MS;
      writeSlot('looked', say('look.at', { time: formatHour(new Date()) }));
      if (news) writeSlot('fresh', news);
      else sayMore(say('look.nothing'), false);
    } catch (error) {
      waitMs = Math.min(LONGEST_MS, waitMs * 2);
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

export function describeNews(before: BrowserCaseView, after: BrowserCaseView): string {
  if (before.finding === null && after.finding !== null) return say('look.answer');
  if (after.seen > before.seen) return say('look.message');
  return after.state === before.state ? '' : say('look.changed', { title: after.title });
}

function writeSlot(name: Extract<CaseSlot, 'looked' | 'fresh'>, text: string): void {
  const slot = findByData('slot', name);
  // The same sentence once more is said once more.
  if (slot) slot.textContent = '';
  if (slot) slot.textContent = text;
}

function formatHour(time: Date): string {
  return new Intl.DateTimeFormat(say('time.locale'), { hour: '2-digit', minute: '2-digit' }).format(time);
}
