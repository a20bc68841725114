/** Pins: what a desk remembers about a case key it has opened, as tags and MACs that only its desk key can compute. */
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { type AgeIdentity, decodeIdentity } from './age.ts';
import { encodeUtf8 } from './bytes.ts';
import { type CaseKey, formatKeyFingerprint, hashRecipient } from './case-key.ts';

/** Must never change, or every desk would lose its pins. */
const SALT = encodeUtf8('inquiry-office/desk/v1');
const KEY_BYTES = 32;
const TAG_BYTES = 16;

export interface KeyPin {
  readonly case: string;
  readonly lookup_hash: string;
  /** The full SHA-256 of the case recipient: the fingerprint for people is short enough to be forged by brute force. */
  readonly recipient_hash: string;
}

export function createKeyPin(caseId: string, key: Pick<CaseKey, 'case' | 'recipient'>): KeyPin {
  return {
    case: caseId,
    lookup_hash: key.case,
    recipient_hash: base64urlnopad.encode(hashRecipient(key.recipient)),
  };
}

/** Computes what a desk stores about a case; without the desk key, the id or words are not enough to recognize it. */
export type DeskTagger = (kind: 'case' | 'words' | 'key' | 'seen' | 'draft', value: string) => string;

/** Tags differ by kind, so that one file cannot be compared with another. */
export function createDeskTagger(identity: AgeIdentity): DeskTagger {
  const key = deriveKey(identity, 'tags', KEY_BYTES);
  return (kind, value) => base64urlnopad.encode(hmac(sha256, key, encodeUtf8(`${kind} ${value}`)));
}

export type PinTags = Readonly<Record<'case' | 'words' | 'key', string>>;

export function computePinTags(tag: DeskTagger, pin: KeyPin): PinTags {
  return {
    case: tag('case', pin.case),
    words: tag('words', pin.lookup_hash),
    key: tag('key', pin.recipient_hash),
  };
}

/** Whether a pin belongs to this case: the id or the words must match, because a forger may change either. */
export function isPinOfCase(pin: PinTags, present: PinTags): boolean {
  return pin.case === present.case || pin.words === present.words;
}

/** Finds a pin that contradicts the present key of the case. */
export function findOtherPin(pins: readonly PinTags[], present: PinTags): PinTags | undefined {
  const isSame = (pin: PinTags) =>
    pin.case === present.case && pin.words === present.words && pin.key === present.key;
  return pins.find((pin) => isPinOfCase(pin, present) && !isSame(pin));
}

export function formatPinFingerprint({ recipient_hash: hash }: KeyPin): string {
  return formatKeyFingerprint(base64urlnopad.decode(hash));
}

/** An entry cannot be removed or moved to another list without this desk key. */
export function computePinListMac(identity: AgeIdentity, text: string): string {
  return computeMac(identity, 'pin list', text);
}

export function computeSeenListMac(identity: AgeIdentity, text: string): string {
  return computeMac(identity, 'seen list', text);
}

/** Reveals nothing about the desk key or its recipient. */
export function deriveDeskTag(identity: AgeIdentity): string {
  return base64urlnopad.encode(deriveKey(identity, 'pin owner', TAG_BYTES));
}

function computeMac(identity: AgeIdentity, purpose: 'pin list' | 'seen list', text: string): string {
  return base64urlnopad.encode(hmac(sha256, deriveKey(identity, purpose, KEY_BYTES), encodeUtf8(text)));
}

function deriveKey(identity: AgeIdentity, purpose: string, bytes: number): Uint8Array {
  return hkdf(sha256, decodeIdentity(identity), SALT, encodeUtf8(purpose), bytes);
}
