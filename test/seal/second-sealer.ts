/** A second implementation of envelopes and the message chain, written from sealing.md without any code of `src`. */
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';

interface CaseSecrets {
  readonly lookupHash: string;
  readonly caseIdentity: string;
}

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CHECKSUM_LENGTH = 6;
const SIZES = [4, 16, 64, 256].map((kib) => kib * 1024);
const MAC_BYTES = 32;
const LENGTH_BYTES = 4;

/** Seals JSON with its header, padded to hide its length, and a MAC that only holders of the case key can compute. */
export async function sealForeignEnvelope(
  secrets: CaseSecrets,
  kind: string,
  seq: number,
  body: unknown,
): Promise<Uint8Array> {
  const line = Buffer.from(`${serializeHeader(secrets, kind, seq)}\n`);
  const text = Buffer.from(JSON.stringify(body));
  const used = line.length + LENGTH_BYTES + text.length + MAC_BYTES;
  const size = SIZES.find((candidate) => used <= candidate);
  if (size === undefined) throw new Error('too long for an envelope');
  const frame = Buffer.alloc(size);
  line.copy(frame);
  frame.writeUInt32BE(text.length, line.length);
  text.copy(frame, line.length + LENGTH_BYTES);
  computeMac(secrets, frame).copy(frame, size - MAC_BYTES);
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(secrets.caseIdentity));
  return await encrypter.encrypt(frame);
}

/** Refuses an envelope that belongs to another place or was not made with the case key. */
export async function openForeignEnvelope(
  secrets: CaseSecrets,
  kind: string,
  seq: number,
  sealed: Uint8Array,
): Promise<unknown> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(secrets.caseIdentity);
  const frame = Buffer.from(await decrypter.decrypt(sealed));
  if (!SIZES.includes(frame.length)) throw new Error('this was cut off');
  const lineEnd = frame.indexOf('\n');
  if (frame.subarray(0, lineEnd).toString() !== serializeHeader(secrets, kind, seq))
    throw new Error(`this is not ${kind} ${seq} of our case`);
  if (!computeMac(secrets, frame).equals(frame.subarray(-MAC_BYTES))) throw new Error('this was forged');
  const start = lineEnd + 1 + LENGTH_BYTES;
  const end = start + frame.readUInt32BE(lineEnd + 1);
  return JSON.parse(frame.subarray(start, end).toString());
}

/** What links a message to those before it: a hash of all sealed messages that its writer had, own side first. */
export function computeForeignThread(own: readonly Uint8Array[], other: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const sealed of [...own, ...other]) hash.update(createHash('sha256').update(sealed).digest());
  return hash.digest('base64url');
}

function serializeHeader({ lookupHash }: CaseSecrets, kind: string, seq: number): string {
  return JSON.stringify({ v: 1, kind, case: lookupHash, seq });
}

function computeMac({ caseIdentity }: CaseSecrets, frame: Buffer): Buffer {
  const key = hkdfSync('sha256', decodeSeed(caseIdentity), 'inquiry-office/case/v1', 'mac', MAC_BYTES);
  return createHmac('sha256', Buffer.from(key)).update(frame.subarray(0, -MAC_BYTES)).digest();
}

/** Decodes the 32 bytes of a bech32 identity. */
function decodeSeed(identity: string): Buffer {
  const data = identity.toLowerCase().split('1').at(-1) ?? '';
  const bits = Array.from(data.slice(0, -CHECKSUM_LENGTH), (letter) => CHARSET.indexOf(letter).toString(2));
  const text = bits.map((five) => five.padStart(5, '0')).join('');
  return Buffer.from((text.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
