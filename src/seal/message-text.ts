/** A case message as readable text, with its times for a call. */
import type { CallWindow } from './call-window.ts';
import type { CaseMessage } from './message.ts';

export function formatCaseMessage({ text, call_windows: windows }: CaseMessage): string {
  const times = windows.length > 0 ? `Times for the call:\n${windows.map(formatCallWindow).join('\n')}` : '';
  return [text, times].filter(Boolean).join('\n\n');
}

export function formatCallWindow({ start, end, zone }: CallWindow): string {
  return `${start.replace('T', ' ')} to ${end.replace('T', ' ')}, ${zone}`;
}
