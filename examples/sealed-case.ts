/** What is sealed in a case, as an agent makes and opens it: age files, bound to their place and authenticated. */
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient } from 'age-encryption';

/** Everything that opens a case; whoever loses it cannot read the answer. */
export interface CaseSecrets {
  /** Opens the key of the case, as the twelve words of a person do. */
  readonly holder: string;
  /** Names the case in everything sealed: SHA-256 of a lookup token, which nobody needs but the holder. */
  readonly lookupHash: string;
  readonly caseIdentity: string;
}

export interface PublishedSealingKeys {
  readonly desk: readonly string[];
  readonly recovery: string;
}

type Kind = 'case-key.v1' | 'inquiry.v1' | 'buyer-message.v1' | 'desk-message.v1' | 'finding.v1';

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CHECKSUM_LENGTH = 6;
const SIZES = [4, 16, 64, 256].map((kib) => kib * 1024);
const MAC_BYTES = 32;
const LENGTH_BYTES = 4;

export async function generateCaseSecrets(): Promise<CaseSecrets> {
  const lookupToken = randomBytes(32);
  return {
    holder: await generateHybridIdentity(),
    lookupHash: createHash('sha256').update(lookupToken).digest('base64url'),
    caseIdentity: await generateHybridIdentity(),
  };
}

/** The key of the case, for every investigator, the recovery key and the agent itself. */
export async function sealCaseKey(secrets: CaseSecrets, keys: PublishedSealingKeys): Promise<Uint8Array> {
  const own = await identityToRecipient(secrets.holder);
  const text = `# ${serializeHeader(secrets, 'case-key.v1', 0)}\n# ${own}\n${secrets.caseIdentity}\n`;
  return await sealToRecipients(Buffer.from(text), [...keys.desk, keys.recovery, own]);
}

/** JSON with its header, padded so that its length tells little, with a MAC that only holders of the key can make. */
export async function sealEnvelope(
  secrets: CaseSecrets,
  kind: Kind,
  seq: number,
  body: unknown,
): Promise<Uint8Array> {
  const line = Buffer.from(`${serializeHeader(secrets, kind, seq)}\n`);
  const text = Buffer.from(JSON.stringify(body));
  const used = line.length + LENGTH_BYTES + text.length + MAC_BYTES;
  const size = SIZES.find((each) => used <= each);
  if (size === undefined) throw new Error('too long for an envelope');
  const frame = Buffer.alloc(size);
  line.copy(frame);
  frame.writeUInt32BE(text.length, line.length);
  text.copy(frame, line.length + LENGTH_BYTES);
  computeMac(secrets, frame).copy(frame, size - MAC_BYTES);
  return await sealToRecipients(frame, [await identityToRecipient(secrets.caseIdentity)]);
}

/** Refuses what belongs elsewhere and what somebody without the key has written. */
export async function openEnvelope(
  secrets: CaseSecrets,
  kind: Kind,
  seq: number,
  sealed: Uint8Array,
): Promise<unknown> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(secrets.caseIdentity);
  const frame = Buffer.from(await decrypter.decrypt(sealed));
  const lineEnd = frame.indexOf('\n');
  if (frame.subarray(0, lineEnd).toString() !== serializeHeader(secrets, kind, seq))
    throw new Error(`this is not ${kind} ${seq} of our case`);
  if (!computeMac(secrets, frame).equals(frame.subarray(-MAC_BYTES))) throw new Error('this was forged');
  const start = lineEnd + 1 + LENGTH_BYTES;
  const end = start + frame.readUInt32BE(lineEnd + 1);
  return JSON.parse(frame.subarray(start, end).toString());
}

function serializeHeader({ lookupHash }: CaseSecrets, kind: Kind, seq: number): string {
  return JSON.stringify({ v: 1, kind, case: lookupHash, seq });
}

function computeMac({ caseIdentity }: CaseSecrets, frame: Buffer): Buffer {
  const key = hkdfSync('sha256', decodeSeed(caseIdentity), 'inquiry-office/case/v1', 'mac', MAC_BYTES);
  return createHmac('sha256', Buffer.from(key)).update(frame.subarray(0, -MAC_BYTES)).digest();
}

/** The 32 bytes that the bech32 of an identity stands for. */
function decodeSeed(identity: string): Buffer {
  const data = identity.toLowerCase().split('1').at(-1) ?? '';
  const bits = Array.from(data.slice(0, -CHECKSUM_LENGTH), (letter) => CHARSET.indexOf(letter).toString(2));
  const text = bits.map((five) => five.padStart(5, '0')).join('');
  return Buffer.from((text.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

async function sealToRecipients(plain: Uint8Array, recipients: readonly string[]): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return await encrypter.encrypt(plain);
}
