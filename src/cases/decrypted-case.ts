/** A case opened with one of its keys: the inquiry, the messages of both sides, and the finding. */
import type { Identity } from '#seal/age.ts';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import { openEnvelope, type Place } from '#seal/envelope.ts';
import { type Finding, validateFinding } from '#seal/finding.ts';
import { type Inquiry, validateInquiry } from '#seal/inquiry.ts';
import { type Message, validateMessage } from '#seal/message.ts';
import { SealError } from '#seal/seal-error.ts';
import { type OpenedFile, openFile } from '#seal/sealed-file.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';
import { bytesOf, type CaseFile, objectAt } from './sealed-case.ts';
import type { Actor } from './states.ts';

export interface WrittenMessage extends Message {
  readonly by: Actor;
  readonly seq: number;
  readonly at: number;
}

export interface OpenedCase {
  readonly record: Case;
  readonly key: CaseKey;
  /** Null where it cannot be read; then `unreadable` says why. */
  readonly inquiry: Inquiry | null;
  readonly unreadable: string | null;
  /** Oldest first. */
  readonly messages: readonly WrittenMessage[];
  readonly finding: Finding | null;
}

export const messageKinds = { buyer: 'buyer-message.v1', desk: 'desk-message.v1' } as const;

/**
 * `identity` is that of the words, of an investigator or of the recovery key. Each part is opened for itself: one that
 * cannot be read says so in its place, so that nobody can make a case unreadable with a single damaged message.
 */
export async function openCaseFile(file: CaseFile, identity: Identity): Promise<OpenedCase> {
  const { record, caseKey } = file;
  const key = await openCaseKey(caseKey, identity, record.lookup_hash);
  const inquiry = await part(file, key, { kind: 'inquiry.v1', seq: 0 }, readInquiry);
  const finding = objectAt(file, 'finding.v1', 0)
    ? await part(file, key, { kind: 'finding.v1', seq: 0 }, readFinding)
    : null;
  return {
    record,
    key,
    inquiry: inquiry instanceof SealError ? null : inquiry,
    unreadable: inquiry instanceof SealError ? inquiry.message : null,
    messages: await Promise.all(
      file.objects.flatMap((object) => {
        const by = writerOf(object);
        return by ? [messageOf(file, key, by, object)] : [];
      }),
    ),
    finding: finding instanceof SealError ? { markdown: finding.message, files: [] } : finding,
  };
}

async function messageOf(
  file: CaseFile,
  key: CaseKey,
  by: Actor,
  { kind, seq, keptAt: at }: StoredObject,
): Promise<WrittenMessage> {
  const message = await part(file, key, { kind, seq }, readMessage);
  const shown = message instanceof SealError ? { text: message.message, call_windows: [] } : message;
  return { ...shown, by, seq, at };
}

/** Whoever holds the words may seal anything: what is not as the forms make it is still shown, as it is. */
function oddity(body: unknown): string {
  return `Not in the form that this service writes:\n${JSON.stringify(body, null, 2)}`;
}

/** Undefined where what was sealed is none of ours. */
type Read<Body> = (body: unknown) => Body | undefined;

async function part<Body>(
  file: CaseFile,
  key: CaseKey,
  place: Place,
  read: Read<Body>,
): Promise<Body | SealError> {
  const object = objectAt(file, place.kind, place.seq);
  if (!object) return new SealError('truncated');
  try {
    const body = await openEnvelope(key, place, await bytesOf(file, object));
    return read(body) ?? new SealError('unsupported', oddity(body));
  } catch (error) {
    if (error instanceof SealError) return error;
    throw error;
  }
}

/** Which service was bought does not matter to a reader. */
const readInquiry: Read<Inquiry> = (body) => {
  const checked = validateInquiry(body, { includesCall: true });
  return 'inquiry' in checked ? checked.inquiry : undefined;
};

const readMessage: Read<Message> = (body) => {
  const checked = validateMessage(body);
  return 'message' in checked ? checked.message : undefined;
};

const readFinding: Read<Finding> = (body) => {
  const checked = validateFinding(body);
  return 'finding' in checked ? checked.finding : undefined;
};

/** A file of the inquiry or of the finding. */
export async function openFileOf(
  file: CaseFile,
  key: CaseKey,
  kind: 'inquiry-file.v1' | 'finding-file.v1',
  seq: number,
): Promise<OpenedFile | null> {
  const object = objectAt(file, kind, seq);
  return object ? await openFile(key, { kind, seq }, file.stream(object)) : null;
}

function writerOf({ kind }: StoredObject): Actor | null {
  if (kind === messageKinds.buyer) return 'buyer';
  return kind === messageKinds.desk ? 'desk' : null;
}
