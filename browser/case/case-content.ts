/** What lies sealed in a case, opened: each part for itself, so that a damaged one hides no other. */
import { base64urlnopad } from '@scure/base';
import type { CaseContent, Part, ShownFinding, Writer, Written } from '#browser/workers/opener-jobs.ts';
import type { CaseKey } from '#seal/case-key.ts';
import { openEnvelope, type Place } from '#seal/envelope.ts';
import { validateFinding } from '#seal/finding.ts';
import { validateInquiry } from '#seal/inquiry.ts';
import { type InquiryLine, inquiryLines, sizeText } from '#seal/inquiry-text.ts';
import { markdownTree } from '#seal/markdown.ts';
import { validateMessage } from '#seal/message.ts';
import { messageText } from '#seal/message-text.ts';
import { SealError } from '#seal/seal-error.ts';

/** As the service keeps it; files come when they are asked for. */
export interface SealedObject {
  readonly kind: string;
  readonly seq: number;
  readonly at: string;
  readonly sealed?: string;
}

export const OWN_MESSAGE = 'buyer-message.v1';

const writers: ReadonlyMap<string, Writer> = new Map([
  [OWN_MESSAGE, 'buyer'],
  ['desk-message.v1', 'desk'],
]);

/** A key that cannot be had makes every part unreadable, for the same reason. */
export async function openContent(
  objects: readonly SealedObject[],
  key: Promise<CaseKey>,
): Promise<CaseContent> {
  const body = async ({ kind, seq }: Place): Promise<unknown> => {
    const { sealed } = objects.find((object) => object.kind === kind && object.seq === seq) ?? {};
    return await openEnvelope(await key, { kind, seq }, bytesOf(sealed));
  };
  const messages = objects.flatMap(({ kind, seq, at }) => {
    const by = writers.get(kind);
    return by ? [{ by, at, place: { kind, seq } as Place }] : [];
  });
  const isDelivered = objects.some(({ kind }) => kind === 'finding.v1');
  const [inquiry, finding, ...thread] = await Promise.all([
    partOf<readonly InquiryLine[]>(async () => linesOf(await body({ kind: 'inquiry.v1', seq: 0 }))),
    isDelivered
      ? partOf<ShownFinding>(async () => findingOf(await body({ kind: 'finding.v1', seq: 0 })))
      : null,
    ...messages.map(
      async ({ by, at, place }): Promise<Written> => ({
        by,
        at,
        said: await partOf(async () => saidIn(await body(place))),
      }),
    ),
  ]);
  return { inquiry, finding, thread };
}

export function bytesOf(text = ''): Uint8Array {
  try {
    return base64urlnopad.decode(text);
  } catch (error) {
    throw new SealError('tampered', undefined, error);
  }
}

async function partOf<Content>(open: () => Promise<Content>): Promise<Part<Content>> {
  try {
    return { content: await open() };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { unreadable: error.message };
  }
}

function linesOf(body: unknown): readonly InquiryLine[] {
  // Which service was bought does not matter to a reader.
  const checked = validateInquiry(body, { includesCall: true });
  if ('errors' in checked) throw new SealError('unsupported');
  return inquiryLines(checked.inquiry);
}

function saidIn(body: unknown): string {
  const checked = validateMessage(body);
  if ('errors' in checked) throw new SealError('unsupported');
  return messageText(checked.message);
}

function findingOf(body: unknown): ShownFinding {
  const checked = validateFinding(body);
  if ('errors' in checked) throw new SealError('unsupported');
  const { markdown, files } = checked.finding;
  return {
    document: markdownTree(markdown),
    files: files.map(({ name, size }) => `${name}, ${sizeText(size)}`),
  };
}
