/** Prints under a title that reveals nothing if only a part of the page is printed. */
import { say } from './say.ts';

/** Browsers name a saved print after the title of the page, and put it in the page margin. */
const PRINT_TITLE = say('words.print.title');

/** Also covers the browser's own print menu. `selector` finds the only part that is printed. */
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
