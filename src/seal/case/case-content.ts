/** Opens the content of a case with its key, each part separately, so that a damaged part does not hide the others. */
import { sha256 } from '@noble/hashes/sha2.js';
import type { CaseKey } from '../core/case-key.ts';
import { formatPlace, openEnvelopeBody, type SealedPlace } from '../core/envelope.ts';
import type { SealedKind } from '../core/header.ts';
import { SealError } from '../core/seal-error.ts';
import { type Inquiry, validateInquiry } from '../form/inquiry.ts';
import { type Finding, validateFinding } from './finding.ts';
import { type CaseActor, type CaseMessage, messageKinds, validateCaseMessage } from './message.ts';
import { LEFT_OUT, type OpenedPart, openPart, type ParseBody, toUnreadable } from './opened-part.ts';
import { buildThread, type MessageLink, type ThreadEntry, type ThreadPart } from './thread.ts';

/** A sealed object of a case; `at`, the time it was stored, is passed through. */
export interface SealedObject<Time> extends SealedPlace {
  readonly at: Time;
  readonly readBytes: () => Uint8Array | Promise<Uint8Array>;
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
  /** In the order of the conversation. */
  readonly messages: readonly LinkedMessage<Time>[];
  /** The messages, with an entry for each gap. */
  readonly thread: readonly ThreadEntry<OpenedMessage<Time>>[];
  /** Null until the finding is delivered. */
  readonly finding: OpenedPart<Finding> | null;
  /** The number of the finding; 0 if there is none. */
  readonly findingSeq: number;
}

/** If the key cannot be opened, every part is unreadable for that reason. Leaves out everything beyond `room` bytes. */
export async function openCaseObjects<Time>(
  key: CaseKey | Promise<CaseKey>,
  objects: readonly SealedObject<Time>[],
  room = Infinity,
): Promise<OpenedObject<Time>[]> {
  const opened: OpenedObject<Time>[] = [];
  let left = room;
  for (const object of listShownObjects(objects)) {
    const one = await openCaseObject(key, object, left);
    left = computeRoomAfter(left, one);
    opened.push(one);
  }
  return opened;
}

/** For inquiry, finding and messages together, in bytes of their JSON: far more than people write in one case. */
const MAX_CASE_TEXT_BYTES = 2 * 1024 * 1024;
/** Keeps a long case from occupying much memory, or the sealing thread for long. */
const OPENED_AT_ONCE = 4;

/** Opens as much as fits: inquiry, finding, then the newest messages. Objects in `before` are not opened again. */
export async function openWithinBounds<Time, Place extends SealedPlace>(
  places: readonly Place[],
  before: Iterable<OpenedObject<Time>>,
  open: (batch: readonly Place[], room: number) => Promise<readonly OpenedObject<Time>[]>,
): Promise<OpenedObject<Time>[]> {
  const shown = listShownObjects(places);
  const messages = shown.filter(({ kind }) => findMessageAuthor(kind) !== null);
  const ordered = [...shown.filter((place) => !messages.includes(place)), ...messages.toReversed()];
  const known = new Map(
    [...before].filter((one) => !isLeftOut(one)).map((object) => [formatPlace(object), object]),
  );
  let room = MAX_CASE_TEXT_BYTES;
  const keep = (object: OpenedObject<Time>) => {
    const kept = object.size > room ? { ...object, size: 0, part: LEFT_OUT } : object;
    known.set(formatPlace(object), kept);
    room = computeRoomAfter(room, kept);
  };
  for (let start = 0; start < ordered.length; start += OPENED_AT_ONCE) {
    const batch = ordered.slice(start, start + OPENED_AT_ONCE);
    const unopened = batch.filter((place) => !known.has(formatPlace(place)));
    for (const place of batch) if (!unopened.includes(place)) keep(known.get(formatPlace(place))!);
    if (unopened.length > 0) for (const object of await open(unopened, room)) keep(object);
  }
  return shown.flatMap((place) => known.get(formatPlace(place)) ?? []);
}

/** Once an object does not fit, all later ones are left out too, so that a conversation has no gaps. */
function computeRoomAfter(room: number, one: OpenedObject<unknown>): number {
  return isLeftOut(one) ? 0 : room - one.size;
}

function isLeftOut({ part }: OpenedObject<unknown>): boolean {
  return 'reason' in part && part.reason === 'left_out';
}

/** Leaves out files, which are opened separately, and all findings but the last: the others were taken back. */
function listShownObjects<Place extends SealedPlace>(objects: readonly Place[]): Place[] {
  const lastFinding = Math.max(...objects.map(({ kind, seq }) => (kind === 'finding.v1' ? seq : 0)));
  return objects.filter(({ kind, seq }) => {
    if (kind === 'inquiry.v1') return seq === 0;
    return kind === 'finding.v1' ? seq === lastFinding : findMessageAuthor(kind) !== null;
  });
}

/** An envelope of a case, opened. */
export interface OpenedObject<Time> extends SealedPlace {
  readonly at: Time;
  /** SHA-256 of the sealed bytes; empty if they could not be read. */
  readonly hash: Uint8Array;
  /** The size of its JSON in bytes; 0 without content. */
  readonly size: number;
  readonly part: OpenedPart<Inquiry | CaseMessage | Finding>;
}

async function openCaseObject<Time>(
  key: CaseKey | Promise<CaseKey>,
  { kind, seq, at, readBytes }: SealedObject<Time>,
  room: number,
): Promise<OpenedObject<Time>> {
  const sealed = await readUnlessDamaged(readBytes);
  const place = { kind, seq, at, size: 0 };
  if (sealed instanceof SealError) return { ...place, hash: new Uint8Array(), part: toUnreadable(sealed) };
  const hash = sha256(sealed);
  if (room <= 0) return { ...place, hash, part: LEFT_OUT };
  let size = 0;
  const part = await openPart(async () => {
    const body = await openEnvelopeBody(await key, { kind, seq }, sealed);
    size = body.bytes.length;
    return body;
  }, parsers[kind]);
  if (!('content' in part)) return { ...place, hash, part };
  return size > room ? { ...place, hash, part: LEFT_OUT } : { ...place, size, hash, part };
}

/** Rethrows a failed read, which does not mean that the part is damaged. */
async function readUnlessDamaged(
  readBytes: SealedObject<unknown>['readBytes'],
): Promise<Uint8Array | SealError> {
  try {
    return await readBytes();
  } catch (error) {
    if (error instanceof SealError) return error;
    throw error;
  }
}

/** `opened` is in the order in which the service stored the objects. */
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

function toOpenedMessage<Time>(object: OpenedObject<Time>): OpenedMessage<Time> | null {
  const by = findMessageAuthor(object.kind);
  if (!by) return null;
  const { seq, hash, at } = object;
  const said = object.part as OpenedPart<CaseMessage>;
  return { by, seq, hash, claim: readClaim(said), at, said };
}

function readClaim(said: OpenedPart<CaseMessage>): ThreadPart['claim'] {
  if ('unreadable' in said) return 'unreadable';
  const { seen, thread } = said.content;
  return seen === null || thread === null ? 'unlinked' : { seen, thread };
}

const parsers: Partial<Record<SealedKind, ParseBody<Inquiry | CaseMessage | Finding>>> = {
  'inquiry.v1': (body) => {
    // Allows call times for every tier: the tier limits what can be sent, not what can be read.
    const checked = validateInquiry(body, { includesCall: true });
    return 'inquiry' in checked ? checked.inquiry : undefined;
  },
  'finding.v1': (body) => {
    const checked = validateFinding(body);
    return 'finding' in checked ? checked.finding : undefined;
  },
  [messageKinds.buyer]: (body) => parseMessageBody(body, 'buyer'),
  [messageKinds.desk]: (body) => parseMessageBody(body, 'desk'),
};

function parseMessageBody(body: unknown, by: CaseActor): CaseMessage | undefined {
  const checked = validateCaseMessage(body, { by });
  return 'message' in checked ? checked.message : undefined;
}

function findMessageAuthor(kind: SealedKind): CaseActor | null {
  if (kind === messageKinds.buyer) return 'buyer';
  return kind === messageKinds.desk ? 'desk' : null;
}
