/** An identifier as text: base64url of its 128 bits. */

export const ID_PATTERN = '[A-Za-z0-9_-]{22}';
const WHOLE_ID = new RegExp(`^${ID_PATTERN}$`);

export function isId(text: string): boolean {
  return WHOLE_ID.test(text);
}
