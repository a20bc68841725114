/** Checks base64url natively: a pattern and a length would walk through sealed text one character at a time. */
export function isBase64url(text: string): boolean {
  return text.length > 0 && Buffer.from(text, 'base64url').toString('base64url') === text;
}
