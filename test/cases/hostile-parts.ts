/** Content that a buyer with the case key can seal to make opening the case expensive. */
import { sealBytes } from '#seal/core/age.ts';
import { CASE_MAC_BYTES, type CaseKey, createCaseMac } from '#seal/core/case-key.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { serializeHeader } from '#seal/core/header.ts';
import { computeSizeClass } from '#seal/core/padding.ts';

/** Builders of text of about the requested length; 14,000 bytes of nested lists have 7,000 levels. */
export const hostileBodies: Readonly<Record<string, (length: number) => string>> = {
  'lists in each other': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'objects in each other': (length) => '{"a":'.repeat(length / 6) + '0' + '}'.repeat(length / 6),
  'lists around many numbers': (length) =>
    `${'['.repeat(600)}${repeat('1,', length - 1_201)}1${']'.repeat(600)}`,
  'many numbers': (length) => `[${repeat('0,', length - 3)}0]`,
  'many lists': (length) => `[${repeat('[],', length - 4)}[]]`,
  'many names': (length) =>
    `{${Array.from({ length: Math.floor(length / 11) }, (_none, place) => `"${place + 10 ** 5}":0`).join(',')}}`,
  'many unknown names in files': (length) => `{"text":"a","files":[${repeat('{"a":0},', length - 40)}{}]}`,
  'long numbers': (length) => `[${repeat('9', length - 2)}]`,
  'control characters': (length) => JSON.stringify({ text: repeat('\u0001', length / 6 - 20) }),
  'an open string': (length) => `"${repeat('\\', length - 1)}`,
  'no JSON': (length) => repeat('}{', length),
  'no text': (length) => repeat('\u00ff', length / 2),
};

function repeat(text: string, length: number): string {
  return text.repeat(Math.max(0, Math.floor(length / text.length)));
}

/** Seals the text with a genuine header and MAC. */
export async function sealHostileBody(key: CaseKey, place: SealedPlace, text: string): Promise<Uint8Array> {
  const header = { ...place, case: key.case };
  const line = Buffer.from(`${serializeHeader(header)}\n`);
  const body = Buffer.from(text);
  const frame = Buffer.alloc(computeSizeClass(line.length + 4 + body.length + CASE_MAC_BYTES));
  line.copy(frame);
  frame.writeUInt32BE(body.length, line.length);
  body.copy(frame, line.length + 4);
  const mac = createCaseMac(key).update(frame.subarray(0, -CASE_MAC_BYTES)).digest();
  frame.set(mac, frame.length - CASE_MAC_BYTES);
  return await sealBytes(new Uint8Array(frame), [key.recipient]);
}
