/** A case message as text to read, with its times for a call. */
import { formatBookedCall } from './booked-call.ts';
import { joinLines, toCallWindowText } from './inquiry-text.ts';
import type { CaseMessage } from './message.ts';
import type { UnsaidText } from './unsaid-text.ts';

export function formatCaseMessage(message: CaseMessage): UnsaidText {
  const { text, call_windows: windows, call_number: number, call } = message;
  const parts: UnsaidText[] = [
    ...(text ? [text] : []),
    ...(windows.length > 0 ? [joinLines([{ key: 'call.windows' }, ...windows.map(toCallWindowText)])] : []),
    ...(number ? [{ key: 'call.number', values: { number } }] : []),
    ...(call ? [{ key: 'call.booked', values: { time: formatBookedCall(call) } }] : []),
  ];
  return parts.flatMap((part, index) => (index === 0 ? [part] : ['\n\n', part]));
}
