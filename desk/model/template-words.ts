/** The words that templates may use, as they are for one case. */
import { nameCase } from '#wire/case-name.ts';
import { formatTimeInBoth } from './desk-time.ts';
import type { OpenedVisit } from './opened-cases.ts';

export function listTemplateWords(
  { opened, gist }: OpenedVisit,
  now: number,
): Readonly<Record<string, string>> {
  const { facts } = opened;
  return {
    buyer: gist.buyer,
    case: nameCase(facts.id),
    tier: facts.tier,
    question: gist.question,
    due: formatTimeInBoth(Date.parse(facts.due_at), now),
  };
}
