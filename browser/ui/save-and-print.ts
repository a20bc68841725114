/** Lets the browser save a file that was made or opened on this page, and print under a title that reveals nothing. */
import { createCalendarFile } from '#wire/calendar-file.ts';
import { say } from './say.ts';

/** Some browsers start reading only after asking the user where to save the file. */
const KEEP_URL_MS = 60_000;

export function saveWithBrowser({ name, content }: { readonly name: string; readonly content: Blob }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_URL_MS);
}

export function saveCalendar(name: string, events: Parameters<typeof createCalendarFile>[0]): void {
  const file = createCalendarFile(events, Date.now());
  saveWithBrowser({ name, content: new Blob([file], { type: 'text/calendar' }) });
}

/** Browsers name a saved print after the title of the page, and put it in the page margin. */
const PRINT_TITLE = say('words.print.title');

/** Also covers the browser's own print menu. `selector` finds the only part of the page that is printed. */
export function hideTitleWhilePrinting(selector: string): void {
  let title = '';
  addEventListener('beforeprint', () => {
    if (!document.querySelector(selector)) return;
    title = document.title;
    document.title = PRINT_TITLE;
  });
  addEventListener('afterprint', () => {
    if (document.title === PRINT_TITLE) document.title = title;
  });
}
