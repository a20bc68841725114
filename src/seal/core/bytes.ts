/** Byte arrays: joining, comparing, and converting text and integers. */

export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Compares in constant time, so that a MAC cannot be guessed byte by byte. */
export function hasEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (const [index, byte] of a.entries()) difference |= byte ^ b[index]!;
  return difference === 0;
}

/** Whether the bytes from `at` on begin with the prefix. */
export function hasPrefix(bytes: Uint8Array, prefix: Uint8Array, at = 0): boolean {
  for (let index = 0; index < prefix.length; index += 1)
    if (bytes[at + index] !== prefix[index]) return false;
  return true;
}

export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Throws on invalid UTF-8 instead of replacing it, so that content is never silently altered. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

export function decodeUtf8OrNull(bytes: Uint8Array): string | null {
  try {
    return decodeUtf8(bytes);
  } catch {
    return null;
  }
}

export function encodeUint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

export function decodeUint32(bytes: Uint8Array, offset = 0): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);
}
