/** What the desk has answered in a case, on hold or not: the finding, or why it declined. */
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';

export interface GivenAnswer {
  readonly kind: 'decline' | 'markdown';
  readonly text: string;
  /** Names of the files. */
  readonly files: readonly string[];
}

/** Also finds an answer that was sent from another machine. Null if there is none that can be read. */
export function readGivenAnswer({
  facts,
  content: { messages, finding },
}: Pick<DeskOpenedCase, 'facts' | 'content'>): GivenAnswer | null {
  if (facts.state === 'declined') {
    const reason = messages.findLast(({ by }) => by === 'desk')?.said;
    return reason && 'content' in reason ? { kind: 'decline', text: reason.content.text, files: [] } : null;
  }
  if (!finding || !('content' in finding)) return null;
  const { markdown, files } = finding.content;
  return { kind: 'markdown', text: markdown, files: files.map(({ name }) => name) };
}
