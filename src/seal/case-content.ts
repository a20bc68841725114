/** Opens the content of a case with its key, each part separately, so that a damaged part does not hide the others. */
import { sha256 } from '@noble/hashes/sha2.js';
import type { CaseKey } from './case-key.ts';
import { openEnvelope, type SealedPlace } from './envelope.ts';
import { type Finding, validateFinding } from './finding.ts';
import type { SealedKind } from './header.ts';
import { type Inquiry, validateInquiry } from './inquiry.ts';
import { type CaseActor, type CaseMessage, messageKinds, validateCaseMessage } from './message.ts';
import { SealError, type SealErrorCode } from './seal-error.ts';
import { buildThread, type MessageLink, type ThreadEntry, type ThreadPart } from './thread.ts';

/** A sealed object of a case; `at`, the time it was stored, is passed through. */
export interface SealedObject<Time> extends SealedPlace {
  readonly at: Time;
  readonly readBytes: () => Uint8Array | Promise<Uint8Array>;
}

/** Why there is no content to show; a part of `unknown_form` did open, so its author holds the case key. */
export type UnreadableReason = SealErrorCode | 'unknown_form';

/** The opened content, or the text to show instead. */
export type OpenedPart<Content> =
  | { readonly content: Content }
  | { readonly unreadable: string; readonly reason: UnreadableReason };

export interface OpenedMessage<Time> extends ThreadPart {
  readonly at: Time;
  readonly said: OpenedPart<CaseMessage>;
}

export interface LinkedMessage<Time> extends OpenedMessage<Time> {
  readonly link: MessageLink;
}

export interface CaseContent<Time> {
  readonly inquiry: OpenedPart<Inquiry>;
  /** In the order in which they were said. */
  readonly messages: readonly LinkedMessage<Time>[];
  /** The same with what is missing in its place, and how each is linked to those before it. */
  readonly thread: readonly ThreadEntry<OpenedMessage<Time>>[];
  /** Null until the finding is delivered. */
  readonly finding: OpenedPart<Finding> | null;
  /** Its number; 0 without one. */
  readonly findingSeq: number;
}

/** If the key cannot be opened, every part is unreadable for that reason. */
export async function openCaseContent<Time>(
  key: CaseKey | Promise<CaseKey>,
  objects: readonly SealedObject<Time>[],
): Promise<CaseContent<Time>> {
  const inquiryObject = objects.find(({ kind, seq }) => kind === 'inquiry.v1' && seq === 0);
  // The last one counts: those before it were taken back.
  const [findingObject] = objects
    .filter(({ kind }) => kind === 'finding.v1')
    .toSorted((one, other) => other.seq - one.seq);
  const [inquiry, finding, ...stored] = await Promise.all([
    openPart(key, inquiryObject, parseInquiryBody),
    findingObject ? openPart(key, findingObject, parseFindingBody) : null,
    ...objects.flatMap((object) => {
      const by = findMessageAuthor(object.kind);
      return by ? [openMessage(key, by, object)] : [];
    }),
  ]);
  const thread = buildThread(stored);
  const messages = thread.flatMap((entry) => ('said' in entry ? entry : []));
  return { inquiry, messages, thread, finding, findingSeq: findingObject?.seq ?? 0 };
}

async function openMessage<Time>(
  key: CaseKey | Promise<CaseKey>,
  by: CaseActor,
  object: SealedObject<Time>,
): Promise<OpenedMessage<Time>> {
  let hash: Uint8Array = new Uint8Array();
  const readBytes = async () => {
    const bytes = await object.readBytes();
    hash = sha256(bytes);
    return bytes;
  };
  const said = await openPart(key, { ...object, readBytes }, parseMessageBody);
  return { by, seq: object.seq, hash, claim: readClaim(said), at: object.at, said };
}

function readClaim(said: OpenedPart<CaseMessage>): ThreadPart['claim'] {
  if ('unreadable' in said) return 'unreadable';
  const { seen, thread } = said.content;
  return seen === null || thread === null ? 'unlinked' : { seen, thread };
}

/** Returns undefined if the body is not in the format of this service. */
type ParseBody<Content> = (body: unknown) => Content | undefined;

async function openPart<Content>(
  key: CaseKey | Promise<CaseKey>,
  object: SealedObject<unknown> | undefined,
  parse: ParseBody<Content>,
): Promise<OpenedPart<Content>> {
  try {
    const caseKey = await key;
    if (!object) throw new SealError('truncated');
    const { kind, seq, readBytes } = object;
    const body = await openEnvelope(caseKey, { kind, seq }, await readBytes());
    const content = parse(body);
    if (content !== undefined) return { content };
    return { unreadable: formatUnknownBody(body), reason: 'unknown_form' };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { unreadable: error.message, reason: error.code };
  }
}

/** Anyone with the key can seal anything, so a body in an unknown format is shown as it is. */
function formatUnknownBody(body: unknown): string {
  return `Not in the form that this service writes:\n${JSON.stringify(body, null, 2)}`;
}

/** Allows call times whatever tier was bought: that rule applies to sending, not to reading. */
const parseInquiryBody: ParseBody<Inquiry> = (body) => {
  const checked = validateInquiry(body, { includesCall: true });
  return 'inquiry' in checked ? checked.inquiry : undefined;
};

const parseMessageBody: ParseBody<CaseMessage> = (body) => {
  const checked = validateCaseMessage(body);
  return 'message' in checked ? checked.message : undefined;
};

const parseFindingBody: ParseBody<Finding> = (body) => {
  const checked = validateFinding(body);
  return 'finding' in checked ? checked.finding : undefined;
};

function findMessageAuthor(kind: SealedKind): CaseActor | null {
  if (kind === messageKinds.buyer) return 'buyer';
  return kind === messageKinds.desk ? 'desk' : null;
}
