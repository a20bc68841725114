/** What both sides have said about the call, as rows and messages of the case page, with and without a script. */
import type { Say } from '#language/catalogue.ts';
import type { ScriptKey } from '#language/script-sentences.ts';
import { type ShownTime, type TimedText, toShownTime } from '#language/timed-text.ts';
import { type BookedCall, toCallTime } from '#seal/case/booked-call.ts';
import type { CallPlan } from '#seal/case/call-plan.ts';
import type { CallWindow } from '#seal/case/call-window.ts';
import type { CaseMessage } from '#seal/case/message.ts';
import { formatCaseMessage } from '#seal/case/message-text.ts';
import { isTimeZone, toInstant } from '#seal/case/zoned-time.ts';
import { toCallWindowText } from '#seal/form/inquiry-text.ts';
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
  if (booked)
    rows.push({ label: say('case.call.when'), value: [toZonedTime(toCallTime(booked), booked.zone, say)] });
  else if (windows.length > 0)
    rows.push({
      label: say('case.call.suggested'),
      value: windows.flatMap((window, index) => [
        index === 0 ? '' : '\n',
        ...toWindowText(window, say, reader),
      ]),
    });
  if (number) rows.push({ label: say('case.call.number'), value: [number] });
  else if (booked) rows.push({ label: say('case.call.number'), value: [say('case.call.number.none')] });
  return rows;
}

/** Splits a sentence where the time goes. */
const TIME_MARK = '\u0000';

/** A message as text in which call times remain times, for a script to convert. */
export function toMessageText(message: CaseMessage, say: Say<ScriptKey>, reader: TextReader): TimedText {
  const { text, call_windows: windows, call } = message;
  const rest = sayText(reader, formatCaseMessage({ ...message, text: '', call_windows: [], call: null }));
  const parts: TimedText[] = [
    ...(text ? [[text]] : []),
    ...(windows.length > 0
      ? [[say('call.windows'), ...windows.flatMap((window) => ['\n', ...toWindowText(window, say, reader)])]]
      : []),
    ...(call ? [toBookedText(call, say)] : []),
    ...(rest ? [[rest]] : []),
  ];
  return parts.flatMap((part, index) => (index === 0 ? part : ['\n\n', ...part]));
}

function toBookedText(call: BookedCall, say: Say<ScriptKey>): TimedText {
  const [before = '', after = ''] = say('call.booked', { time: TIME_MARK }).split(TIME_MARK);
  return [before, toZonedTime(toCallTime(call), call.zone, say), after];
}

/** Returns the window as it was written if this machine does not know its zone. */
function toWindowText(window: CallWindow, say: Say<ScriptKey>, reader: TextReader): TimedText {
  const { start, end, zone } = window;
  const [from, to] = [toInstant(start, zone), toInstant(end, zone)];
  if (from === null || to === null) return [sayText(reader, toCallWindowText(window))];
  return [toZonedTime(from, zone, say), ` ${say('case.call.window.to')} `, toZonedTime(to, zone, say)];
}

/** In the zone of the time as sent, with UTC beside it; a script shows it in the reader's own zone. */
function toZonedTime(time: number, zone: string, say: Say<ScriptKey>): ShownTime {
  const inUtc = toShownTime({ say }, time, { withYear: true });
  if (zone === '' || !isTimeZone(zone)) return inUtc;
  const local = new Intl.DateTimeFormat(say('time.locale'), {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: zone,
  }).format(time);
  return { ...inUtc, text: `${local} ${zone} (${inUtc.text})` };
}
