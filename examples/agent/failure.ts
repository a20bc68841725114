/** What the agent says to the person who started it: errors without a stack, and text that came from elsewhere. */
import { escapeUnseenInJson, replaceUnseen } from '#seal/core/unseen-characters.ts';
import type { FieldError } from '#seal/form/fields.ts';

/** sysexits.h: EX_USAGE. */
export const EXIT_USAGE = 64;

export class AgentFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'AgentFailure';
    this.exitCode = exitCode;
  }
}

/** Such as `/question: missing, min 20`. */
export function describeFieldError({ pointer, code, said: { values = {} }, choices }: FieldError): string {
  if (choices) return `${pointer}: one of ${choices.join(', ')}`;
  const limits = Object.entries(values).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`);
  return `${pointer}: ${code}${limits.join('')}`;
}

/** Nothing in it may steer the terminal, hide from a reader or reorder the text. */
export function printText(text: string): void {
  console.log(replaceUnseen(text));
}

/** Escaped, so that a program that parses it gets what was sent. */
export function printJson(value: unknown): void {
  console.log(escapeUnseenInJson(JSON.stringify(value, null, 2)));
}
