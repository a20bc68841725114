/** Prints what came from elsewhere: nothing in it may steer the terminal, hide from a reader or reorder the text. */
import { escapeUnseenInJson, replaceUnseen } from '#seal/core/unseen-characters.ts';

export function printText(text: string): void {
  console.log(replaceUnseen(text));
}

/** Escaped, so that a program that parses it gets what was sent. */
export function printJson(value: unknown): void {
  console.log(escapeUnseenInJson(JSON.stringify(value, null, 2)));
}
