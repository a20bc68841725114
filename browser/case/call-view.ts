/** The part of the page about the call: what has been agreed, the calendar file, and the form for other times. */
import { findByData, findById } from '#browser/ui/find.ts';
import { saveCalendar } from '#browser/ui/save-and-print.ts';
import { say } from '#browser/ui/say.ts';
import { toCallTime } from '#seal/case/booked-call.ts';
import type { CallPlan } from '#seal/case/call-plan.ts';

/** Long enough for most calls, whose length is not known beforehand. */
const CALL_MS = 30 * 60_000;
const CALL_ALARM_MINUTES = 15;
/** Must not reveal what the case is about, like the title inside the file. */
const CALENDAR_FILE_NAME = 'appointment.ics';

/** The call that the page shows, and the form that was opened or closed for it. */
let shown: CallPlan | null = null;
let shownTimes: HTMLElement | null = null;

/** Opens the part if times are requested or a call is booked; a booking closes the form. Typed text is preserved. */
export function updateCallView(call: CallPlan, isAsked: boolean): void {
  const times = findByData('part', 'times');
  const part = findByData('part', 'call');
  if (times !== shownTimes) part?.toggleAttribute('open', isAsked);
  if (call.booked && (times !== shownTimes || !shown?.booked)) {
    part?.setAttribute('open', '');
    times?.removeAttribute('open');
  }
  const calendar = findByData('part', 'calendar');
  if (calendar) calendar.hidden = call.booked === null;
  const number = findById('call_number');
  // The buyer may be typing another number.
  if (number?.value === '' && number !== document.activeElement) number.value = call.number;
  shown = call;
  shownTimes = times;
}

/** The number and the times must be removed together with the page that shows them. */
export function clearCallView(): void {
  shown = null;
  shownTimes = null;
}

export function enableCalendar(): void {
  findByData('part', 'calendar')?.querySelector('button')?.addEventListener('click', saveCall);
}

/** The file is made here: fetching it would reveal the call to the service, and to an eavesdropper. */
function saveCall(): void {
  if (!shown?.booked) return;
  const startsAt = toCallTime(shown.booked);
  const event = {
    title: say('case.call.calendar.title'),
    startsAt,
    endsAt: startsAt + CALL_MS,
    alarmMinutes: CALL_ALARM_MINUTES,
  };
  saveCalendar(CALENDAR_FILE_NAME, [event]);
}
