/** Says who a holder is: you, a colleague by name, or the digits of a key. */
import { computeKeyFingerprint } from '#seal/case-key.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import { showLine } from './shown-text.ts';

/** Who works at this desk, and with whom. */
export interface DeskStaff {
  /** The own key. */
  readonly holder: string;
  readonly people: readonly DeskPersonView[];
}

export function nameHolder(holder: string | null, { holder: own, people }: DeskStaff): string {
  if (holder === null) return 'Nobody';
  if (holder === own) return 'You';
  const person = people.find((known) => known.holder === holder);
  if (!person) return 'Somebody who left';
  return person.name === null ? computeKeyFingerprint(person.recipient) : showLine(person.name);
}
