/** Encodes bytes as text that is safe in JSON and URLs (RFC 4648 §5). */

export function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
