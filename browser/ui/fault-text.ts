/** The sentence for an error: never the text that a response has for programs. */
import { toUserFacingErrorData, type UserFacingErrorData } from '#browser/rpc/fault.ts';
import type { ScriptKey } from '#language/script-sentences.ts';
import { hasSentence, say } from './say.ts';

type ProblemKey = Extract<ScriptKey, `problem.${string}`>;

export function toFaultText(error: unknown): string {
  return formatFault(toUserFacingErrorData(error));
}

export function formatFault({ code, sentence, blame }: UserFacingErrorData): string {
  const key = `problem.${code}`;
  if (isProblemKey(key)) return say(key);
  return sentence ?? say(blame ? `problem.${blame}` : 'problem.unexpected');
}

function isProblemKey(key: string): key is ProblemKey {
  return hasSentence(key);
}
