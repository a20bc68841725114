/** Writes a calendar file (RFC 5545) that reveals nothing about this service: times, and a title from the caller. */

export interface CalendarEvent {
  readonly title: string;
  readonly startsAt: number;
  readonly endsAt: number;
  /** How long before the start the alarm goes off. */
  readonly alarmMinutes: number;
}

/** In octets, without the line break (RFC 5545 §3.1). */
const LINE_OCTETS = 75;

/** Alarms show titles even on a locked screen, so a title must reveal nothing. */
export function createCalendarFile(events: readonly CalendarEvent[], now: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Calendar//EN',
    ...events.flatMap((event) => createEventLines(event, now)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

function createEventLines({ title, startsAt, endsAt, alarmMinutes }: CalendarEvent, now: number): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${crypto.randomUUID()}`,
    `DTSTAMP:${formatCalendarTime(now)}`,
    `DTSTART:${formatCalendarTime(startsAt)}`,
    `DTEND:${formatCalendarTime(endsAt)}`,
    `SUMMARY:${escapeCalendarText(title)}`,
    // Others who can see the calendar must not see the title.
    'CLASS:PRIVATE',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:${escapeCalendarText(title)}`,
    `TRIGGER:-PT${alarmMinutes}M`,
    'END:VALARM',
    'END:VEVENT',
  ];
}

/** In UTC (RFC 5545 §3.3.5). */
function formatCalendarTime(time: number): string {
  return new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** RFC 5545 §3.3.11; other control characters are not allowed. */
function escapeCalendarText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replace(/(?!\t)\p{Cc}/gu, '');
}

/** Breaks between characters, never within one; the space that begins the next line counts. */
function foldLine(line: string): string {
  const encoder = new TextEncoder();
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const { length } = encoder.encode(character);
    if (octets + length > LINE_OCTETS) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += length;
  }
  return folded;
}
