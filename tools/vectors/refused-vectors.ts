/** The test vectors that a program must refuse to open, each with the name of its error. */
import { type AgeIdentity, type AgeRecipient, sealBytes } from '#seal/core/age.ts';
import { encodeUint32 } from '#seal/core/bytes.ts';
import { CASE_MAC_BYTES, type CaseKey, createCaseMac } from '#seal/core/case-key.ts';
import { type SealedPlace, sealEnvelope } from '#seal/core/envelope.ts';
import { encodeFrame } from '#seal/core/frame.ts';
import { serializeHeader } from '#seal/core/header.ts';

/** Parts that are valid in their own context, as base64url. */
interface RightParts {
  readonly otherCase: { readonly identity: AgeIdentity; readonly recipient: AgeRecipient };
  readonly inquiry: string;
  readonly messages: readonly string[];
}

interface RefusedVector extends SealedPlace {
  readonly why: string;
  readonly error: string;
  readonly sealed: string | undefined;
}

const place = { kind: 'finding.v1', seq: 0 } as const;
const BODY = { markdown: 'Refused.', files: [] };

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

export async function createRefusedVectors(
  key: CaseKey,
  { otherCase, inquiry, messages }: RightParts,
): Promise<RefusedVector[]> {
  const frame = encodeFrame({ ...place, case: key.case }, BODY, CASE_MAC_BYTES);
  const seal = async (plain: Uint8Array) => toText(await sealBytes(plain, [key.recipient]));
  const changed = (change: (bytes: Uint8Array) => void) => {
    const copy = frame.slice();
    change(copy);
    return seal(withMac(key, copy));
  };
  const headerLength = serializeHeader({ ...place, case: key.case }).length;
  return [
    {
      why: 'Sealed to the case by a sender without its key: the MAC is zeros.',
      error: 'forged',
      ...place,
      sealed: await seal(frame),
    },
    {
      why: 'A message of the buyer, shown as one of the desk.',
      error: 'swapped',
      kind: 'desk-message.v1',
      seq: 0,
      sealed: messages[0],
    },
    { why: 'The inquiry, shown as the finding.', error: 'swapped', ...place, sealed: inquiry },
    {
      why: 'The second message of the buyer, shown as the first.',
      error: 'swapped',
      kind: 'buyer-message.v1',
      seq: 0,
      sealed: messages[2],
    },
    {
      why: 'Its header names another case; key and MAC are those of this one.',
      error: 'swapped',
      ...place,
      sealed: toText(await sealEnvelope({ ...key, case: 'A'.repeat(key.case.length) }, place, BODY)),
    },
    {
      why: 'Sealed with the key of another case, with the header of this one.',
      error: 'wrong_key',
      ...place,
      sealed: toText(await sealEnvelope({ ...key, ...otherCase }, place, BODY)),
    },
    {
      why: 'Half of the padding is cut off; the MAC is right for what is left.',
      error: 'truncated',
      ...place,
      sealed: await seal(withMac(key, frame.slice(0, frame.length / 2))),
    },
    {
      why: 'A header of a version that is not known yet.',
      error: 'unsupported',
      ...place,
      sealed: await changed((bytes) => bytes.set([0x32], bytes.indexOf(0x31))),
    },
    {
      why: 'The length of the body leads beyond the end, with a MAC that is right.',
      error: 'tampered',
      ...place,
      sealed: await changed((bytes) => bytes.set(encodeUint32(bytes.length), headerLength + 1)),
    },
  ];
}

/** Ends the frame with a valid MAC of the case, whatever precedes it. */
function withMac(key: CaseKey, frame: Uint8Array): Uint8Array {
  const mac = createCaseMac(key).update(frame.subarray(0, -CASE_MAC_BYTES)).digest();
  frame.set(mac, frame.length - CASE_MAC_BYTES);
  return frame;
}
