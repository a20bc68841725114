/** Prints what came from elsewhere: nothing in it may steer the terminal. */

/** Control characters, also those above ASCII that some terminals obey, become a visible mark. */
export function toPrintable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}

export function printText(text: string): void {
  console.log(toPrintable(text));
}
