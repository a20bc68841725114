/** What lies sealed in a case, opened: each part for itself, so that a damaged one hides no other. */
import { base64urlnopad } from '@scure/base';
import type {
  CaseContent,
  MessageWriter,
  OpenedFinding,
  OpenedPart,
  ThreadMessage,
} from '#browser/workers/opener-jobs.ts';
import type { CaseKey } from '#seal/case-key.ts';
import { openEnvelope, type SealedPlace } from '#seal/envelope.ts';
import { validateFinding } from '#seal/finding.ts';
import { validateInquiry } from '#seal/inquiry.ts';
import { formatFileSize, type InquiryLine, toInquiryLines } from '#seal/inquiry-text.ts';
import { parseMarkdown } from '#seal/markdown.ts';
import { validateCaseMessage } from '#seal/message.ts';
import { formatCaseMessage } from '#seal/message-text.ts';
import { SealError } from '#seal/seal-error.ts';

/** As the service keeps it; files come when they are asked for. */
export interface SealedCaseObject {
  readonly kind: string;
  readonly seq: number;
  readonly at: string;
  readonly sealed?: string;
}

export const BUYER_MESSAGE_KIND = 'buyer-message.v1';

const writers: ReadonlyMap<string, MessageWriter> = new Map([
  [BUYER_MESSAGE_KIND, 'buyer'],
  ['desk-message.v1', 'desk'],
]);

/** A key that cannot be had makes every part unreadable, for the same reason. */
export async function openCaseContent(
  objects: readonly SealedCaseObject[],
  key: Promise<CaseKey>,
): Promise<CaseContent> {
  const openBody = async ({ kind, seq }: SealedPlace): Promise<unknown> => {
    const { sealed } = objects.find((object) => object.kind === kind && object.seq === seq) ?? {};
    return await openEnvelope(await key, { kind, seq }, decodeSealedBase64url(sealed));
  };
  const messages = objects.flatMap(({ kind, seq, at }) => {
    const by = writers.get(kind);
    return by ? [{ by, at, place: { kind, seq } as SealedPlace }] : [];
  });
  const isDelivered = objects.some(({ kind }) => kind === 'finding.v1');
  const [inquiry, finding, ...thread] = await Promise.all([
    tryOpenPart<readonly InquiryLine[]>(async () =>
      parseInquiryLines(await openBody({ kind: 'inquiry.v1', seq: 0 })),
    ),
    isDelivered
      ? tryOpenPart<OpenedFinding>(async () =>
          parseOpenedFinding(await openBody({ kind: 'finding.v1', seq: 0 })),
        )
      : null,
    ...messages.map(
      async ({ by, at, place }): Promise<ThreadMessage> => ({
        by,
        at,
        said: await tryOpenPart(async () => parseMessageText(await openBody(place))),
      }),
    ),
  ]);
  return { inquiry, finding, thread };
}

export function decodeSealedBase64url(text = ''): Uint8Array {
  try {
    return base64urlnopad.decode(text);
  } catch (error) {
    throw new SealError('tampered', undefined, error);
  }
}

async function tryOpenPart<Content>(open: () => Promise<Content>): Promise<OpenedPart<Content>> {
  try {
    return { content: await open() };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { unreadable: error.message };
  }
}

function parseInquiryLines(body: unknown): readonly InquiryLine[] {
  // Which service was bought does not matter to a reader.
  const checked = validateInquiry(body, { includesCall: true });
  if ('errors' in checked) throw new SealError('unsupported');
  return toInquiryLines(checked.inquiry);
}

function parseMessageText(body: unknown): string {
  const checked = validateCaseMessage(body);
  if ('errors' in checked) throw new SealError('unsupported');
  return formatCaseMessage(checked.message);
}

function parseOpenedFinding(body: unknown): OpenedFinding {
  const checked = validateFinding(body);
  if ('errors' in checked) throw new SealError('unsupported');
  const { markdown, files } = checked.finding;
  return {
    document: parseMarkdown(markdown),
    files: files.map(({ name, size }) => `${name}, ${formatFileSize(size)}`),
  };
}
