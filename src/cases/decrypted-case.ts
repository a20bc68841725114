/** A case opened with one of its keys: the inquiry, the messages of both sides, and the finding. */
import type { AgeIdentity } from '#seal/age.ts';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import { openEnvelope, type SealedPlace } from '#seal/envelope.ts';
import { type Finding, validateFinding } from '#seal/finding.ts';
import { type Inquiry, validateInquiry } from '#seal/inquiry.ts';
import { type CaseActor, type CaseMessage, messageKinds, validateCaseMessage } from '#seal/message.ts';
import { SealError } from '#seal/seal-error.ts';
import { type OpenedSealedFile, openSealedFile } from '#seal/sealed-file.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';
import { findCaseObject, readObjectBytes, type SealedCase } from './sealed-case.ts';

export interface DecryptedMessage extends CaseMessage {
  readonly by: CaseActor;
  readonly seq: number;
  readonly at: number;
}

export interface DecryptedCase {
  readonly record: Case;
  readonly key: CaseKey;
  /** Null where it cannot be read; then `unreadable` says why. */
  readonly inquiry: Inquiry | null;
  readonly unreadable: string | null;
  /** Oldest first. */
  readonly messages: readonly DecryptedMessage[];
  readonly finding: Finding | null;
}

/**
 * `identity` is that of the words, of an investigator or of the recovery key. Each part is opened for itself: one that
 * cannot be read says so in its place, so that nobody can make a case unreadable with a single damaged message.
 */
export async function openSealedCase(file: SealedCase, identity: AgeIdentity): Promise<DecryptedCase> {
  const { record, caseKey } = file;
  const key = await openCaseKey(caseKey, identity, record.lookup_hash);
  const inquiry = await openPart(file, key, { kind: 'inquiry.v1', seq: 0 }, parseInquiryBody);
  const finding = findCaseObject(file, 'finding.v1', 0)
    ? await openPart(file, key, { kind: 'finding.v1', seq: 0 }, parseFindingBody)
    : null;
  return {
    record,
    key,
    inquiry: inquiry instanceof SealError ? null : inquiry,
    unreadable: inquiry instanceof SealError ? inquiry.message : null,
    messages: await Promise.all(
      file.objects.flatMap((object) => {
        const by = findMessageAuthor(object);
        return by ? [openMessageObject(file, key, by, object)] : [];
      }),
    ),
    finding: finding instanceof SealError ? { markdown: finding.message, files: [] } : finding,
  };
}

async function openMessageObject(
  file: SealedCase,
  key: CaseKey,
  by: CaseActor,
  { kind, seq, keptAt: at }: StoredObject,
): Promise<DecryptedMessage> {
  const message = await openPart(file, key, { kind, seq }, parseMessageBody);
  const shown = message instanceof SealError ? { text: message.message, call_windows: [] } : message;
  return { ...shown, by, seq, at };
}

/** Whoever holds the words may seal anything: what is not as the forms make it is still shown, as it is. */
function formatUnknownBody(body: unknown): string {
  return `Not in the form that this service writes:\n${JSON.stringify(body, null, 2)}`;
}

/** Undefined where what was sealed is none of ours. */
type Read<Body> = (body: unknown) => Body | undefined;

async function openPart<Body>(
  file: SealedCase,
  key: CaseKey,
  place: SealedPlace,
  read: Read<Body>,
): Promise<Body | SealError> {
  const object = findCaseObject(file, place.kind, place.seq);
  if (!object) return new SealError('truncated');
  try {
    const body = await openEnvelope(key, place, await readObjectBytes(file, object));
    return read(body) ?? new SealError('unsupported', formatUnknownBody(body));
  } catch (error) {
    if (error instanceof SealError) return error;
    throw error;
  }
}

/** Which service was bought does not matter to a reader. */
const parseInquiryBody: Read<Inquiry> = (body) => {
  const checked = validateInquiry(body, { includesCall: true });
  return 'inquiry' in checked ? checked.inquiry : undefined;
};

const parseMessageBody: Read<CaseMessage> = (body) => {
  const checked = validateCaseMessage(body);
  return 'message' in checked ? checked.message : undefined;
};

const parseFindingBody: Read<Finding> = (body) => {
  const checked = validateFinding(body);
  return 'finding' in checked ? checked.finding : undefined;
};

/** A file of the inquiry or of the finding. */
export async function openAttachedFile(
  file: SealedCase,
  key: CaseKey,
  kind: 'inquiry-file.v1' | 'finding-file.v1',
  seq: number,
): Promise<OpenedSealedFile | null> {
  const object = findCaseObject(file, kind, seq);
  return object ? await openSealedFile(key, { kind, seq }, file.stream(object)) : null;
}

function findMessageAuthor({ kind }: StoredObject): CaseActor | null {
  if (kind === messageKinds.buyer) return 'buyer';
  return kind === messageKinds.desk ? 'desk' : null;
}
