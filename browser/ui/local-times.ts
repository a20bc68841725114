/** Shows times in the reader's own zone, with UTC beside them: the server knows only UTC. */
import { formatUtcHour } from '#language/timed-text.ts';
import { say } from './say.ts';

const shown = new WeakSet<Element>();

export function showLocalTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time')) {
    if (shown.has(element)) continue;
    shown.add(element);
    const time = new Date(element.dateTime);
    if (time.getTimezoneOffset() === 0) continue;
    const utc = formatUtcHour(time.getTime());
    element.textContent = say('time.local', { local: formatLocalTime(time), utc });
  }
}

function formatLocalTime(time: Date): string {
  return new Intl.DateTimeFormat(say('time.locale'), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(time.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(time);
}
