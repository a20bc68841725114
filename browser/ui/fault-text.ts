/** The sentence for an error: never the text that a response has for programs. */
import { toUserFacingErrorData, type UserFacingErrorData } from '#browser/rpc/fault.ts';
import { sayText } from '#wire/said-text.ts';
import { reader, say } from './say.ts';

export function toFaultText(error: unknown): string {
  return formatFault(toUserFacingErrorData(error));
}

export function formatFault({ code, said, blame }: UserFacingErrorData): string {
  if (said !== undefined) return sayText(reader, said);
  return reader.find(`problem.${code}`) ?? say(blame ? `problem.${blame}` : 'problem.unexpected');
}
