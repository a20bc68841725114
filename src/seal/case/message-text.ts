/** A case message as text to read, with its times for a call and what it means. */

import type { UnsaidText } from '../core/unsaid-text.ts';
import { joinLines, toCallWindowText } from '../form/inquiry-text.ts';
import { formatBookedCall } from './booked-call.ts';
import type { CaseMessage } from './message.ts';

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
