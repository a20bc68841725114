/** An error for the person who started the agent, without a stack. */
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
