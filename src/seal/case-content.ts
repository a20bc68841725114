/** What lies sealed in a case, opened with its key: each part for itself, so that a damaged one hides no other. */
import type { CaseKey } from './case-key.ts';
import { openEnvelope, type SealedPlace } from './envelope.ts';
import { type Finding, validateFinding } from './finding.ts';
import type { SealedKind } from './header.ts';
import { type Inquiry, validateInquiry } from './inquiry.ts';
import { type CaseActor, type CaseMessage, messageKinds, validateCaseMessage } from './message.ts';
import { SealError } from './seal-error.ts';

/** Something of a case at its place; when it was kept is passed on as it is. */
export interface SealedObject<Time> extends SealedPlace {
  readonly at: Time;
  readonly readBytes: () => Uint8Array | Promise<Uint8Array>;
}

/** What was sealed, or the text to show in its place. */
export type OpenedPart<Content> = { readonly content: Content } | { readonly unreadable: string };

export interface OpenedMessage<Time> {
  readonly by: CaseActor;
  readonly seq: number;
  readonly at: Time;
  readonly said: OpenedPart<CaseMessage>;
}

export interface CaseContent<Time> {
  readonly inquiry: OpenedPart<Inquiry>;
  /** In the order of the objects. */
  readonly messages: readonly OpenedMessage<Time>[];
  /** Null until it is delivered. */
  readonly finding: OpenedPart<Finding> | null;
}

/** A key that cannot be had makes every part unreadable, for the same reason. */
export async function openCaseContent<Time>(
  key: CaseKey | Promise<CaseKey>,
  objects: readonly SealedObject<Time>[],
): Promise<CaseContent<Time>> {
  const findFirst = (wanted: SealedKind) => objects.find(({ kind, seq }) => kind === wanted && seq === 0);
  const delivered = findFirst('finding.v1');
  const [inquiry, finding, ...messages] = await Promise.all([
    openPart(key, findFirst('inquiry.v1'), parseInquiryBody),
    delivered ? openPart(key, delivered, parseFindingBody) : null,
    ...objects.flatMap((object) => {
      const by = findMessageAuthor(object.kind);
      return by ? [openMessage(key, by, object)] : [];
    }),
  ]);
  return { inquiry, messages, finding };
}

async function openMessage<Time>(
  key: CaseKey | Promise<CaseKey>,
  by: CaseActor,
  object: SealedObject<Time>,
): Promise<OpenedMessage<Time>> {
  return { by, seq: object.seq, at: object.at, said: await openPart(key, object, parseMessageBody) };
}

/** Undefined where the body is none that this service writes. */
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
    return content === undefined ? { unreadable: formatUnknownBody(body) } : { content };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { unreadable: error.message };
  }
}

/** Whoever holds the key may seal anything: what is not as the forms make it is still shown, as it is. */
function formatUnknownBody(body: unknown): string {
  return `Not in the form that this service writes:\n${JSON.stringify(body, null, 2)}`;
}

/** Which service was bought does not matter to a reader. */
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
