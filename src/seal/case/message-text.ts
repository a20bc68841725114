/** A case message as readable text, and remarks on its place in the conversation. */

import type { UnsaidText } from '../core/unsaid-text.ts';
import { joinLines, toCallWindowText } from '../form/inquiry-text.ts';
import { formatBookedCall } from './booked-call.ts';
import type { CaseMessage } from './message.ts';
import type { MessageLink, MissingMessages } from './thread.ts';

export function formatCaseMessage(message: CaseMessage): UnsaidText {
  const { text, call_windows: windows, call_number: number, call, act, keep_days: days } = message;
  const parts: UnsaidText[] = [
    ...(text ? [text] : []),
    ...(windows.length > 0 ? [joinLines([{ key: 'call.windows' }, ...windows.map(toCallWindowText)])] : []),
    ...(number ? [{ key: 'call.number', values: { number } }] : []),
    ...(call ? [{ key: 'call.booked', values: { time: formatBookedCall(call) } }] : []),
    ...(act === 'ask' || act === 'decline' ? [{ key: `meant.${act}` }] : []),
    ...(act === 'retain' && days !== null ? [{ key: 'meant.retain', values: { days } }] : []),
  ];
  return parts.flatMap((part, index) => (index === 0 ? [part] : ['\n\n', part]));
}

/** A message in its right place needs no remark, nor does one that cannot be read. */
const UNREMARKED: readonly MessageLink[] = ['linked', 'unreadable'];

/** Empty if the message needs no remark. */
export function toLinkText(link: MessageLink): UnsaidText {
  return UNREMARKED.includes(link) ? '' : { key: `thread.${link}` };
}

/** People count from 1. */
export function toMissingText({ missing: { first, last } }: MissingMessages): UnsaidText {
  const values = { count: last - first + 1, first: first + 1, last: last + 1 };
  return { key: 'thread.missing', values };
}
