/** A case message as text to read, with its times for a call. */
import { joinLines, toCallWindowText } from './inquiry-text.ts';
import type { CaseMessage } from './message.ts';
import type { UnsaidText } from './unsaid-text.ts';

export function formatCaseMessage({ text, call_windows: windows }: CaseMessage): UnsaidText {
  if (windows.length === 0) return text;
  const times = joinLines([{ key: 'call.windows' }, ...windows.map(toCallWindowText)]);
  return text ? [text, '\n\n', times] : times;
}
