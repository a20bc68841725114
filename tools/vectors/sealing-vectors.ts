/**
 * Makes the test vectors that the service serves with sealing.md. Sealing draws random bytes, so each run makes other
 * files of the same content: run it only when the vectors are to cover something new.
 *
 *   npm run vectors
 */
import { execFileSync } from 'node:child_process';
import { createHash, hkdfSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type CaseActor, messageKinds } from '#seal/case/message.ts';
import { createThreadClaim, type ThreadPart } from '#seal/case/thread.ts';
import {
  decodeIdentity,
  deriveRecipient,
  encodeIdentity,
  IDENTITY_SEED_BYTES,
  openSealedBytes,
  sealBytes,
} from '#seal/core/age.ts';
import { encodeUint32, encodeUtf8 } from '#seal/core/bytes.ts';
import {
  CASE_MAC_BYTES,
  type CaseKey,
  caseLabels,
  computeKeyFingerprint,
  createCaseMac,
  sealCaseKey,
} from '#seal/core/case-key.ts';
import { type SealedPlace, sealEnvelope } from '#seal/core/envelope.ts';
import { encodeFrame } from '#seal/core/frame.ts';
import { serializeHeader } from '#seal/core/header.ts';
import { computePadmeLength, computeSizeClass } from '#seal/core/padding.ts';
import { deriveWordKeys, wordsLabels } from '#seal/core/words.ts';
import { sealFile } from '#seal/files/sealed-file.ts';

const FILE = 'src/agents/documents/sealing-vectors.json';
const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
/** The entropy of the words above (BIP 39). */
const ENTROPY = Buffer.alloc(16, 0x7f);

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** Deterministic: the same name results in the same key. */
async function createNamedKey(name: string) {
  const identity = encodeIdentity(hash(encodeUtf8(`inquiry-office test vector: ${name}`)));
  return { identity, recipient: await deriveRecipient(identity) };
}

const words = await deriveWordKeys(WORDS);
const desk = [await createNamedKey('desk 1'), await createNamedKey('desk 2')];
const recovery = await createNamedKey('recovery');
const key: CaseKey = { case: words.lookupHash, ...(await createNamedKey('case')), words: words.recipient };
const sealedKey = await sealCaseKey(key, {
  desk: desk.map(({ recipient }) => recipient),
  recovery: recovery.recipient,
});

const inquiryFile = { name: 'letter.txt', mime: 'text/plain', content: 'Dear Robin, please send the fee.\n' };
const findingFile = { name: 'sources.csv', mime: 'text/csv', content: 'source,date\nregister,2026-11-15\n' };

function describeFile({ name, mime, content }: typeof inquiryFile) {
  return { name, mime, size: Buffer.byteLength(content), kept_as_evidence: false };
}

async function describeEnvelope(place: SealedPlace, body: unknown) {
  const sealed = await sealEnvelope(key, place, body);
  const plain = await openSealedBytes(sealed, key.identity);
  return {
    ...place,
    header: serializeHeader({ ...place, case: key.case }),
    body,
    plain_size: plain.length,
    plain_sha256: toText(hash(plain)),
    mac: toText(plain.subarray(-CASE_MAC_BYTES)),
    sealed: toText(sealed),
    sealed_sha256: toText(hash(sealed)),
  };
}

async function describeSealedFile(place: SealedPlace, { name, mime, content }: typeof inquiryFile) {
  const file = { name, mime, content: new Blob([content]).stream(), maxBytes: 1_000 };
  const stream = await sealFile(key, place, file);
  const sealed = new Uint8Array(await new Response(stream).arrayBuffer());
  const plain = await openSealedBytes(sealed, key.identity);
  return {
    ...place,
    name,
    mime,
    content,
    plain_size: plain.length,
    plain_sha256: toText(hash(plain)),
    sealed: toText(sealed),
  };
}

const inquiry = await describeEnvelope(
  { kind: 'inquiry.v1', seq: 0 },
  {
    payment_ref: 'q1Zl7yBq3mJx0c2y8l4QxA',
    alias: 'Robin',
    question: 'Is this recruiter who she says she is? Zoë wrote “soon” 🕊.',
    subject: 'A recruiter who wrote to me',
    identifiers: ['+44 20 7946 0000'],
    background: '',
    jurisdiction: 'FR',
    safety_risk: 'none',
    subject_is_protected: 'no',
    contact: { mode: 'return_only', value: '', safe_times: '' },
    call_number: '',
    call_windows: [],
    lawful_purpose: true,
    files: [describeFile(inquiryFile)],
  },
);

const parts: ThreadPart[] = [];
const messages: Awaited<ReturnType<typeof describeEnvelope>>[] = [];

async function addMessage(by: CaseActor, seq: number, text: string, meaning = {}): Promise<void> {
  const claim = createThreadClaim(parts, { by, seq });
  const message = await describeEnvelope({ kind: messageKinds[by], seq }, { text, ...meaning, ...claim });
  parts.push({ by, seq, hash: Buffer.from(message.sealed_sha256, 'base64url'), claim });
  messages.push(message);
}

await addMessage('buyer', 0, 'I forgot: she wrote in English.');
const asks = { act: 'ask', findings: { valid: 0, taken_back: 0 } };
await addMessage('desk', 0, 'When did she write?', asks);
await addMessage('buyer', 1, 'She wrote on Monday.');

const finding = await describeEnvelope(
  { kind: 'finding.v1', seq: 0 },
  { markdown: '# She is who she says\n\nWe are sure.\n', files: [describeFile(findingFile)] },
);

/** What a program must refuse to open, each with the name of its error. */
async function listRefusedVectors() {
  const place: SealedPlace = { kind: 'finding.v1', seq: 0 };
  const body = { markdown: 'Refused.', files: [] };
  const frame = encodeFrame({ ...place, case: key.case }, body, CASE_MAC_BYTES);
  const headerLength = serializeHeader({ ...place, case: key.case }).length;
  const otherCase = await createNamedKey('other case');
  const seal = async (plain: Uint8Array) => toText(await sealBytes(plain, [key.recipient]));
  const sealWithMac = async (changed: Uint8Array) => {
    const mac = createCaseMac(key).update(changed.subarray(0, -CASE_MAC_BYTES)).digest();
    changed.set(mac, changed.length - CASE_MAC_BYTES);
    return await seal(changed);
  };
  const sealChanged = async (change: (bytes: Uint8Array) => void) => {
    const copy = frame.slice();
    change(copy);
    return await sealWithMac(copy);
  };
  const sealAs = async (other: CaseKey) => toText(await sealEnvelope(other, place, body));
  const rows: readonly (readonly [why: string, error: string, sealed: string | undefined, SealedPlace?])[] = [
    ['Sealed to the case by a sender without its key: the MAC is zeros.', 'forged', await seal(frame)],
    [
      'A message of the buyer, shown as one of the desk.',
      'swapped',
      messages[0]?.sealed,
      { kind: 'desk-message.v1', seq: 0 },
    ],
    ['The inquiry, shown as the finding.', 'swapped', inquiry.sealed],
    [
      'The second message of the buyer, shown as the first.',
      'swapped',
      messages[2]?.sealed,
      { kind: 'buyer-message.v1', seq: 0 },
    ],
    [
      'Its header names another case; key and MAC are those of this one.',
      'swapped',
      await sealAs({ ...key, case: 'A'.repeat(key.case.length) }),
    ],
    [
      'Sealed with the key of another case, with the header of this one.',
      'wrong_key',
      await sealAs({ ...key, ...otherCase }),
    ],
    [
      'Half of the padding is cut off; the MAC is right for what is left.',
      'truncated',
      await sealWithMac(frame.slice(0, frame.length / 2)),
    ],
    [
      'A header of a version that is not known yet.',
      'unsupported',
      await sealChanged((bytes) => bytes.set([0x32], bytes.indexOf(0x31))),
    ],
    [
      'The length of the body leads beyond the end, with a MAC that is right.',
      'tampered',
      await sealChanged((bytes) => bytes.set(encodeUint32(bytes.length), headerLength + 1)),
    ],
  ];
  return rows.map(([why, error, sealed, shownAs = place]) => ({ why, error, ...shownAs, sealed }));
}

const macKey = hkdfSync(
  'sha256',
  decodeIdentity(key.identity),
  caseLabels.salt,
  caseLabels.mac,
  CASE_MAC_BYTES,
);
const seed = hkdfSync('sha256', ENTROPY, wordsLabels.salt, wordsLabels.identity, IDENTITY_SEED_BYTES);
const sealedLengths = [1, 4_000, 4_096, 4_097, 16_384, 65_537, 262_144];
const fileLengths = [1, 4_096, 4_097, 5_000, 65_536, 70_000, 1_000_000, 26_214_400];

const vectors = {
  about: 'Test vectors for sealing.md. Everything in them is public: never use one of these keys.',
  encoding: 'Bytes are base64url without padding. Everything else is text, in UTF-8 where it is hashed.',
  words: {
    words: WORDS,
    entropy: toText(ENTROPY),
    identity_seed: toText(new Uint8Array(seed)),
    identity: words.identity,
    recipient: words.recipient,
    lookup_token: words.lookupToken,
    lookup_hash: words.lookupHash,
  },
  desk,
  recovery,
  case_key: {
    identity: key.identity,
    recipient: key.recipient,
    mac_key: toText(new Uint8Array(macKey)),
    fingerprint: computeKeyFingerprint(key.recipient),
    text: new TextDecoder().decode(await openSealedBytes(sealedKey, words.identity)),
    sealed: toText(sealedKey),
  },
  envelopes: [inquiry, ...messages, finding],
  files: [
    await describeSealedFile({ kind: 'inquiry-file.v1', seq: 0 }, inquiryFile),
    await describeSealedFile({ kind: 'finding-file.v1', seq: 0 }, findingFile),
  ],
  padding: {
    envelope: sealedLengths.map((length) => ({ length, padded: computeSizeClass(length) })),
    file: fileLengths.map((length) => ({ length, padded: computePadmeLength(length) })),
  },
  refused: await listRefusedVectors(),
};

writeFileSync(FILE, `${JSON.stringify(vectors, null, 2)}\n`);
execFileSync('npx', ['biome', 'format', '--write', FILE], { stdio: 'inherit' });
