/** Seals a message as the next one of its side, linked to the messages that its writer had seen. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { encodeUtf8 } from '../core/bytes.ts';
import type { CaseKey } from '../core/case-key.ts';
import { sealEnvelope } from '../core/envelope.ts';
import type { CaseContent } from './case-content.ts';
import { computeTakenBack } from './case-differences.ts';
import { type CaseActor, type CaseMessage, type DeskMessageAct, messageKinds } from './message.ts';
import { computeNextSeq, createThreadClaim, type ThreadPart } from './thread.ts';

export interface NumberedMessage {
  readonly seq: number;
  readonly sealed: Uint8Array;
}

/** `seen` is the number of the other side's messages that the writer has read; the default is all of them. */
export async function sealCaseMessage(
  key: CaseKey,
  parts: readonly ThreadPart[],
  { by, message, seen }: { readonly by: CaseActor; readonly message: CaseMessage; readonly seen?: number },
): Promise<NumberedMessage> {
  const seq = computeNextSeq(parts, by);
  const said = Object.entries(message).filter(([, value]) => value !== null);
  const body = { ...Object.fromEntries(said), ...createThreadClaim(parts, { by, seq }, seen) };
  return { seq, sealed: await sealEnvelope(key, { kind: messageKinds[by], seq }, body) };
}

/** Who at the desk wrote a message; stored beside it, for the desk only. */
export interface DeskAuthor {
  /** The SHA-256 of their public key. */
  readonly holder: string;
  /** 32 random bytes as base64url: without a salt, the author could be found by trying everyone at the desk. */
  readonly salt: string;
}

/** Commits to the author: the service cannot name another one later. The buyer, who lacks the salt, learns nothing. */
export function hashDeskAuthor({ holder, salt }: DeskAuthor): string {
  return base64urlnopad.encode(sha256(encodeUtf8(`desk-author.v1 ${salt} ${holder}`)));
}

/** What a message of the desk means, and what the service has reported to the desk about findings. */
export interface DeskMeaning {
  readonly message: CaseMessage;
  readonly act: DeskMessageAct;
  /** With `retain`. */
  readonly keepDays?: number;
  readonly author?: DeskAuthor;
  readonly seen: number;
  readonly findingSeq: number;
  /** Whether the buyer can already read the finding. */
  readonly isReleased: boolean;
}

/** Seals the meaning too, so that the service can neither change it nor show a finding that was taken back. */
export async function sealDeskMessage(
  key: CaseKey,
  content: Pick<CaseContent<unknown>, 'messages'>,
  { message, act, keepDays, author, seen, findingSeq, isReleased }: DeskMeaning,
): Promise<NumberedMessage> {
  const findings = { valid: isReleased ? 1 : 0, taken_back: computeTakenBack(content, findingSeq) };
  const meant = {
    ...message,
    act,
    keep_days: keepDays ?? null,
    findings,
    author: author ? hashDeskAuthor(author) : null,
  };
  return await sealCaseMessage(key, content.messages, { by: 'desk', message: meant, seen });
}
