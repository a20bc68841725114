/** The hour and minute of a moment, where the investigator is. */
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

export function formatClockTime(at: Date): string {
  return clock.format(at);
}
