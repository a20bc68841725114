/** The format of an identifier: 128 bits in base64url. */

export const ID_PATTERN = '[A-Za-z0-9_-]{22}';
const WHOLE_ID = new RegExp(`^${ID_PATTERN}$`);

export function isId(text: string): boolean {
  return WHOLE_ID.test(text);
}
