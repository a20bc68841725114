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
import type { UnsaidText } from './unsaid-text.ts';

/** A sealed object of a case; `at`, the time it was stored, is passed through. */
export interface SealedObject<Time> extends SealedPlace {
  readonly at: Time;
  readonly readBytes: () => Uint8Array | Promise<Uint8Array>;
}

/** Why there is no content to show; a part of `unknown_form` did open, so its author holds the case key. */
export type UnreadableReason = SealErrorCode | 'unknown_form';

/** The opened content, or the text to show instead. */
export type OpenedPart<Content> = { readonly content: Content } | UnreadablePart;

interface UnreadablePart {
  /** For investigators, in English. */
  readonly unreadable: string;
  readonly reason: UnreadableReason;
  /** For the buyer, in their language. */
  readonly said: UnsaidText;
}

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
export async function openCaseObjects<Time>(
  key: CaseKey | Promise<CaseKey>,
  objects: readonly SealedObject<Time>[],
): Promise<OpenedObject<Time>[]> {
  return await Promise.all(listShownObjects(objects).map((object) => openCaseObject(key, object)));
}

/** Leaves out files, which are opened on their own, and findings that were taken back: the last one counts. */
export function listShownObjects<Place extends SealedPlace>(objects: readonly Place[]): Place[] {
  const lastFinding = Math.max(...objects.map(({ kind, seq }) => (kind === 'finding.v1' ? seq : 0)));
  return objects.filter(({ kind, seq }) => {
    if (kind === 'inquiry.v1') return seq === 0;
    return kind === 'finding.v1' ? seq === lastFinding : findMessageAuthor(kind) !== null;
  });
}

/** An envelope of a case, opened. */
export interface OpenedObject<Time> extends SealedPlace {
  readonly at: Time;
  /** SHA-256 of what was sealed; empty if that could not be read. */
  readonly hash: Uint8Array;
  readonly part: OpenedPart<Inquiry | CaseMessage | Finding>;
}

async function openCaseObject<Time>(
  key: CaseKey | Promise<CaseKey>,
  { kind, seq, at, readBytes }: SealedObject<Time>,
): Promise<OpenedObject<Time>> {
  let hash: Uint8Array = new Uint8Array();
  const part = await openPart(async () => {
    const caseKey = await key;
    const sealed = await readBytes();
    hash = sha256(sealed);
    return await openEnvelope(caseKey, { kind, seq }, sealed);
  }, parsers[kind]);
  return { kind, seq, at, hash, part };
}

/** `opened` are in the order in which the service stored them. */
export function buildCaseContent<Time>(opened: readonly OpenedObject<Time>[]): CaseContent<Time> {
  const shown = listShownObjects(opened);
  const inquiry = shown.find(({ kind }) => kind === 'inquiry.v1');
  const finding = shown.find(({ kind }) => kind === 'finding.v1');
  const thread = buildThread(shown.flatMap((object) => toOpenedMessage(object) ?? []));
  return {
    inquiry: (inquiry?.part ?? toUnreadable(new SealError('truncated'))) as OpenedPart<Inquiry>,
    messages: thread.flatMap((entry) => ('said' in entry ? entry : [])),
    thread,
    finding: (finding?.part ?? null) as OpenedPart<Finding> | null,
    findingSeq: finding?.seq ?? 0,
  };
}

function toOpenedMessage<Time>({
  kind,
  seq,
  at,
  hash,
  part,
}: OpenedObject<Time>): OpenedMessage<Time> | null {
  const by = findMessageAuthor(kind);
  if (!by) return null;
  const said = part as OpenedPart<CaseMessage>;
  return { by, seq, hash, claim: readClaim(said), at, said };
}

function readClaim(said: OpenedPart<CaseMessage>): ThreadPart['claim'] {
  if ('unreadable' in said) return 'unreadable';
  const { seen, thread } = said.content;
  return seen === null || thread === null ? 'unlinked' : { seen, thread };
}

/** Returns undefined if the body is not in the format of this service. */
type ParseBody<Content> = (body: unknown) => Content | undefined;

/** Tells what is wrong with what does not open, or has another form than `parse` accepts. */
export async function openPart<Content>(
  open: () => Promise<unknown>,
  parse: ParseBody<Content> | undefined,
): Promise<OpenedPart<Content>> {
  try {
    const body = await open();
    const content = parse?.(body);
    if (content !== undefined) return { content };
    return toUnknownForm(body);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return toUnreadable(error);
  }
}

function toUnreadable({ message, code }: SealError): UnreadablePart {
  return { unreadable: message, reason: code, said: { key: `problem.${code}` } };
}

/** Anyone with the key can seal anything, so a body in an unknown format is shown as it is. */
function toUnknownForm(body: unknown): UnreadablePart {
  const text = JSON.stringify(body, null, 2);
  return {
    unreadable: `Not in the form that this service writes:\n${text}`,
    reason: 'unknown_form',
    said: [{ key: 'problem.unknown_form' }, `\n${text}`],
  };
}

/** Allows call times whatever tier was bought: that rule applies to sending, not to reading. */
const parseInquiryBody: ParseBody<Inquiry> = (body) => {
  const checked = validateInquiry(body, { includesCall: true });
  return 'inquiry' in checked ? checked.inquiry : undefined;
};

function createMessageParser(by: CaseActor): ParseBody<CaseMessage> {
  return (body) => {
    const checked = validateCaseMessage(body, { by });
    return 'message' in checked ? checked.message : undefined;
  };
}

const parseFindingBody: ParseBody<Finding> = (body) => {
  const checked = validateFinding(body);
  return 'finding' in checked ? checked.finding : undefined;
};

const parsers: Partial<Record<SealedKind, ParseBody<Inquiry | CaseMessage | Finding>>> = {
  'inquiry.v1': parseInquiryBody,
  'finding.v1': parseFindingBody,
  [messageKinds.buyer]: createMessageParser('buyer'),
  [messageKinds.desk]: createMessageParser('desk'),
};

function findMessageAuthor(kind: SealedKind): CaseActor | null {
  if (kind === messageKinds.buyer) return 'buyer';
  return kind === messageKinds.desk ? 'desk' : null;
}
