/** Makes foreign text safe to print: control characters drive a terminal, invisible ones mislead a reader. */
import { escapeUnseenInJson, replaceUnseen } from '#seal/unseen-characters.ts';

export const terminalSafe = {
  text: replaceUnseen,
  line: (text: string): string => replaceUnseen(text).replace(/\s+/g, ' '),
  json: escapeUnseenInJson,
};
