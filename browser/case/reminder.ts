/** Makes a calendar file with the times at which it is worth looking again: the service is not asked, and not named. */
import { findByData } from '#browser/ui/find.ts';
import { saveWithBrowser } from '#browser/ui/save-with-browser.ts';
import { say } from '#browser/ui/say.ts';
import { createCalendarFile } from '#wire/calendar-file.ts';

const FILE_NAME = 'reminder.ics';
const LENGTH_MS = 15 * 60_000;

/** The times are those of the case as it was shown last. */
export function offerReminder(readTimes: () => readonly number[]): void {
  const title = say('notice.calendar.title');
  const button = findByData('part', 'reminder')?.querySelector('button');
  button?.addEventListener('click', () => {
    const events = readTimes().map((startsAt) => ({ title, startsAt, endsAt: startsAt + LENGTH_MS }));
    const content = new Blob([createCalendarFile(events, Date.now())], { type: 'text/calendar' });
    saveWithBrowser({ name: FILE_NAME, content });
  });
}
