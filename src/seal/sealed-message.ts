/** Seals a message as the next one of its side, linked to the messages that its writer had. */
import type { CaseKey } from './case-key.ts';
import { sealEnvelope } from './envelope.ts';
import { type CaseActor, type CaseMessage, messageKinds } from './message.ts';
import { computeNextSeq, createThreadClaim, type ThreadPart } from './thread.ts';

export interface NumberedMessage {
  readonly seq: number;
  readonly sealed: Uint8Array;
}

/** `seen` is the number of the other side's messages that the writer has read, if that is less than all. */
export async function sealCaseMessage(
  key: CaseKey,
  parts: readonly ThreadPart[],
  { by, message, seen }: { readonly by: CaseActor; readonly message: CaseMessage; readonly seen?: number },
): Promise<NumberedMessage> {
  const seq = computeNextSeq(parts, by);
  const body = { ...message, ...createThreadClaim(parts, { by, seq }, seen) };
  return { seq, sealed: await sealEnvelope(key, { kind: messageKinds[by], seq }, body) };
}
