/** A message in words: its text, and the times for a call where it names some. */
import type { CallWindow } from './call-window.ts';
import type { Message } from './message.ts';

export function messageText({ text, call_windows: windows }: Message): string {
  const times = windows.length > 0 ? `Times for the call:\n${windows.map(callWindowText).join('\n')}` : '';
  return [text, times].filter(Boolean).join('\n\n');
}

export function callWindowText({ start, end, zone }: CallWindow): string {
  return `${start.replace('T', ' ')} to ${end.replace('T', ' ')}, ${zone}`;
}
