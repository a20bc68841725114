/** What both sides have said about the call, as rows for the case page, with and without a script. */
import type { Say } from '#language/catalogue.ts';
import type { ScriptKey } from '#language/script-sentences.ts';
import { type ShownTime, type TimedText, toShownTime } from '#language/timed-text.ts';
import { type BookedCall, toCallTime } from '#seal/case/booked-call.ts';
import type { CallPlan } from '#seal/case/call-plan.ts';
import { isTimeZone } from '#seal/case/zoned-time.ts';
import { joinLines, toCallWindowText } from '#seal/form/inquiry-text.ts';
import { sayText, type TextReader } from './said-text.ts';

interface CallRow {
  readonly label: string;
  readonly value: TimedText;
}

export function toCallRows(
  { number, windows, booked }: CallPlan,
  say: Say<ScriptKey>,
  reader: TextReader,
): CallRow[] {
  const rows: CallRow[] = [];
  if (booked) rows.push({ label: say('case.call.when'), value: [toBookedTime(booked, say)] });
  else if (windows.length > 0)
    rows.push({
      label: say('case.call.suggested'),
      value: [sayText(reader, joinLines(windows.map(toCallWindowText)))],
    });
  if (number) rows.push({ label: say('case.call.number'), value: [number] });
  else if (booked) rows.push({ label: say('case.call.number'), value: [say('case.call.number.none')] });
  return rows;
}

/** In the zone that the booking names, with UTC beside it; a script shows it in the reader's own. */
function toBookedTime(call: BookedCall, say: Say<ScriptKey>): ShownTime {
  const time = toCallTime(call);
  const inUtc = toShownTime({ say }, time, { withYear: true });
  if (call.zone === '' || !isTimeZone(call.zone)) return inUtc;
  const local = new Intl.DateTimeFormat(say('time.locale'), {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: call.zone,
  }).format(time);
  return { ...inUtc, text: `${local} ${call.zone} (${inUtc.text})` };
}
