/** Prints under a title that tells nothing where only a part of the page is printed. */
import { say } from './say.ts';

/** Browsers name a saved print after the title of the page, and write it on the paper's edge. */
const PRINT_TITLE = say('words.print.title');

/** Also for those who print with the browser's own menu. `selector` finds the only part that is printed. */
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
