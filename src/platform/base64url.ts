/** Bytes as text that fits into JSON and addresses (RFC 4648 §5). */

export function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
