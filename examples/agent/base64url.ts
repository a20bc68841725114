/** Bytes as the API takes them in JSON: base64url without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

export function decodeBase64url(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}
