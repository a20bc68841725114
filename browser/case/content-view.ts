/** Opens the content of a case and prepares it for the page, which has neither the key nor a parser. */
import { base64urlnopad } from '@scure/base';
import type { ShownTime } from '#language/timed-text.ts';
import {
  type CaseContent,
  type OpenedMessage,
  type OpenedObject,
  openCaseObjects,
} from '#seal/case/case-content.ts';
import { listFindingFiles, listInquiryFiles, listMessageFiles } from '#seal/case/case-files.ts';
import type { Finding } from '#seal/case/finding.ts';
import { parseMarkdown } from '#seal/case/markdown.ts';
import { toLinkText, toMissingText } from '#seal/case/message-text.ts';
import type { OpenedPart } from '#seal/case/opened-part.ts';
import { computeNextSeq, type ThreadEntry } from '#seal/case/thread.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { SealError } from '#seal/core/seal-error.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import { toInquiryLines } from '#seal/form/inquiry-text.ts';
import type { SealedObjectAnswer } from '#wire/case-requests.ts';

/** The opened content, or the text to show instead. */
export type ShownPart<Content> = { readonly content: Content } | { readonly said: UnsaidText };
export type FindingView = ReturnType<typeof toFindingView>;
/** A message, or a place where some are missing. */
export type ThreadMessage = ReturnType<typeof toThreadMessage>;

export async function openAnsweredObjects(
  key: Promise<CaseKey>,
  objects: readonly SealedObjectAnswer[],
): Promise<OpenedObject<ShownTime>[]> {
  return await openCaseObjects(
    key,
    objects.map(({ kind, seq, at, sealed }) => ({
      kind,
      seq,
      at,
      readBytes: () => decodeSealedBase64url(sealed),
    })),
  );
}

export function toContentView(content: CaseContent<ShownTime>) {
  const { inquiry, messages, thread, finding, findingSeq } = content;
  return {
    inquiry: mapContent(inquiry, toInquiryLines),
    inquiryFiles: 'content' in inquiry ? listInquiryFiles(inquiry.content) : [],
    /** Oldest first. */
    thread: thread.map(toThreadMessage),
    /** The number of the desk's messages in `thread`: what a message written below it may claim as seen. */
    seen: computeNextSeq(messages, 'desk'),
    finding: finding && mapContent(finding, (opened) => toFindingView(opened, findingSeq)),
  };
}

/** `files` are those that the buyer sent with the message; `mark` is a remark about its place, and may be empty. */
function toThreadMessage(entry: ThreadEntry<OpenedMessage<ShownTime>>) {
  const { by } = entry;
  if ('missing' in entry)
    return {
      by,
      link: 'missing',
      at: null,
      files: [],
      said: { said: toMissingText(entry) },
      mark: '',
    } as const;
  const { seq, link, at, said } = entry;
  const files = by === 'buyer' && 'content' in said ? listMessageFiles(said.content, seq) : [];
  return { by, link, at, files, said, mark: toLinkText(link) };
}

export function decodeSealedBase64url(text = ''): Uint8Array {
  try {
    return base64urlnopad.decode(text);
  } catch (error) {
    throw new SealError('tampered', undefined, error);
  }
}

function mapContent<Content, View>(
  part: OpenedPart<Content>,
  toView: (content: Content) => View,
): ShownPart<View> {
  return 'content' in part ? { content: toView(part.content) } : part;
}

function toFindingView(finding: Finding, seq: number) {
  return { document: parseMarkdown(finding.markdown), files: listFindingFiles(finding, seq) };
}
