/**
 * Sealed bytes for thousands of cases. Sealing takes milliseconds and the office cannot distinguish sealed texts, so
 * each kind is sealed once, and every copy gets its own marker at its end, after which no key opens it. The office
 * checks what it can see: the header, its recipients and the length. Cases that the office seals itself are opened.
 */
import { randomBytes } from 'node:crypto';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { computeLookupHash, deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import type { Part } from './model.ts';

const MARKER_BYTES = 24;
/** Larger than one stored piece. */
const LARGE_FILE_BYTES = 300_000;

export interface Templates {
  readonly envelope: Buffer;
  /** Sealed to three recipients: a desk key, the recovery key, the words. */
  readonly caseKey: Buffer;
  readonly file: Buffer;
  readonly largeFile: Buffer;
}

let loaded: Promise<Templates> | undefined;

export async function loadTemplates(): Promise<Templates> {
  loaded ??= sealTemplates();
  return await loaded;
}

async function sealTemplates(): Promise<Templates> {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  const [desk, recovery] = await Promise.all(
    [1, 2].map(async () => deriveRecipient(await generateAgeIdentity())),
  );
  const seal = async (bytes: number) => {
    const content = ReadableStream.from([new Uint8Array(bytes)]);
    const file = { name: 'a.bin', mime: 'application/octet-stream', content, maxBytes: bytes };
    const sealed = await sealFile(key, { kind: 'inquiry-file.v1', seq: 0 }, file);
    return Buffer.concat(await Array.fromAsync(sealed));
  };
  return {
    envelope: Buffer.from(await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, { text: '' })),
    caseKey: Buffer.from(await sealCaseKey(key, { desk: [desk!], recovery: recovery! })),
    file: await seal(100),
    largeFile: await seal(LARGE_FILE_BYTES),
  };
}

/** Returns a unique copy. */
function markBytes(template: Buffer): { readonly bytes: Buffer; readonly marker: Buffer } {
  const bytes = Buffer.from(template);
  const marker = randomBytes(MARKER_BYTES);
  marker.copy(bytes, bytes.length - MARKER_BYTES);
  return { bytes, marker };
}

export function createPart(template: Buffer, kind: string, seq: number, isAnswer = false): Part {
  return { kind, seq, isAnswer, at: Date.now(), ...markBytes(template) };
}

export interface NewCase {
  readonly lookupToken: string;
  readonly lookupHash: string;
  readonly caseKey: Buffer;
}

/** Creates random values in place of those derived from twelve words. */
export function createNewCase({ caseKey }: Templates): NewCase {
  const lookupToken = randomBytes(32).toString('base64url');
  return { lookupToken, lookupHash: computeLookupHash(lookupToken), caseKey: markBytes(caseKey).bytes };
}
