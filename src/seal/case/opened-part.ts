/** One part of a case, opened: its content, or one line that explains why there is none. */
import type { FrameBody } from '../core/frame.ts';
import { SealError, type SealErrorCode } from '../core/seal-error.ts';
import type { UnsaidText } from '../core/unsaid-text.ts';
import { formatFileSize } from '../form/inquiry-text.ts';

/**
 * Why there is no content to show. A part of `unknown_form` did open, so its author holds the case key, and could have
 * sealed anything. A part that is `left_out` was not opened, because the case has more text than is opened at once.
 */
export type UnreadableReason = SealErrorCode | 'unknown_form' | 'left_out';

/** The opened content, or the text to show instead. */
export type OpenedPart<Content> = { readonly content: Content } | UnreadablePart;

interface UnreadablePart {
  /** For investigators, in English. */
  readonly unreadable: string;
  readonly reason: UnreadableReason;
  /** For the buyer, in their language. */
  readonly said: UnsaidText;
}

/** Returns undefined if the body is not in the format of this service. */
export type ParseBody<Content> = (body: unknown) => Content | undefined;

/** Returns the content, or why it does not open or parse. Never fails, so that no part can hide the others. */
export async function openPart<Content>(
  open: () => Promise<FrameBody>,
  parse: ParseBody<Content> | undefined,
): Promise<OpenedPart<Content>> {
  try {
    const { bytes, value } = await open();
    const content = value === undefined ? undefined : parseOrUndefined(value, parse);
    return content === undefined ? toUnknownForm(bytes) : { content };
  } catch (error) {
    return toUnreadable(error instanceof SealError ? error : new SealError('tampered'));
  }
}

function parseOrUndefined<Content>(
  value: unknown,
  parse: ParseBody<Content> | undefined,
): Content | undefined {
  try {
    return parse?.(value);
  } catch {
    return undefined;
  }
}

export function toUnreadable({ message, code }: SealError): UnreadablePart {
  return { unreadable: message, reason: code, said: { key: `problem.${code}` } };
}

/** Anyone with the key can seal anything, so only its length is shown. */
function toUnknownForm({ length }: Uint8Array): UnreadablePart {
  const size = formatFileSize(length);
  return {
    unreadable: `Not in the form that this service writes, so it is not shown (${size}).`,
    reason: 'unknown_form',
    said: { key: 'problem.unknown_form', values: { size } },
  };
}

export const LEFT_OUT: UnreadablePart = {
  unreadable: 'Left out: this case has more text than is opened at once, the newest first.',
  reason: 'left_out',
  said: { key: 'problem.left_out' },
};

/** Whether the part was left out or has an unknown form, so that it can be saved as a file instead. */
export function isUnshownPart(part: OpenedPart<unknown>): boolean {
  return 'reason' in part && isUnshownReason(part.reason);
}

export function isUnshownReason(reason: UnreadableReason): boolean {
  return reason === 'unknown_form' || reason === 'left_out';
}

/** An intruder with write access to the records can seal another key to the desk, but nothing under the buyer's key. */
export function isGenuinePart(part: OpenedPart<unknown>): boolean {
  return 'content' in part || isUnshownPart(part);
}
