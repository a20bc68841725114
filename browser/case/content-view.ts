/** Opens the content of a case and prepares it for the page, which has neither the key nor a parser. */
import { base64urlnopad } from '@scure/base';
import type { CaseContentView, FindingView } from '#browser/workers/opener-jobs.ts';
import { type OpenedPart, openCaseContent } from '#seal/case-content.ts';
import type { CaseKey } from '#seal/case-key.ts';
import type { Finding } from '#seal/finding.ts';
import { formatFileLabel, toInquiryLines } from '#seal/inquiry-text.ts';
import { parseMarkdown } from '#seal/markdown.ts';
import { formatCaseMessage } from '#seal/message-text.ts';
import { SealError } from '#seal/seal-error.ts';
import type { SealedObjectAnswer } from '#wire/case-requests.ts';

export async function openContentView(
  key: Promise<CaseKey>,
  objects: readonly SealedObjectAnswer[],
): Promise<CaseContentView> {
  const { inquiry, messages, finding } = await openCaseContent(
    key,
    objects.map(({ kind, seq, at, sealed }) => ({
      kind,
      seq,
      at,
      readBytes: () => decodeSealedBase64url(sealed),
    })),
  );
  return {
    inquiry: mapContent(inquiry, toInquiryLines),
    thread: messages.map(({ by, at, said }) => ({ by, at, said: mapContent(said, formatCaseMessage) })),
    finding: finding && mapContent(finding, toFindingView),
  };
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
): OpenedPart<View> {
  return 'content' in part ? { content: toView(part.content) } : part;
}

function toFindingView({ markdown, files }: Finding): FindingView {
  return {
    document: parseMarkdown(markdown),
    files: files.map(formatFileLabel),
  };
}
