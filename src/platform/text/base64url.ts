/** Text that is safe in JSON and URLs, without padding (RFC 4648 §5). */

export function toBase64url(bytes: Uint8Array): string {
  // A view, because a copy would take as much memory as the text.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/** Uses the native decoder: a regular expression would check sealed text one character at a time. */
export function isBase64url(text: string): boolean {
  return text.length > 0 && Buffer.from(text, 'base64url').toString('base64url') === text;
}
