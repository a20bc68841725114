/** Encodes bytes as text that is safe in JSON and URLs (RFC 4648 §5). */

export function toBase64url(bytes: Uint8Array): string {
  // A view: a copy would cost as much as the text.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}
