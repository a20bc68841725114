/** The call that the desk has booked: a point in time, and the time zone in which to show it. */
import { createRecordRule, createTextRule, type RuleValue } from '../form/field-rules.ts';
import { isWallTime, toWallTime } from './zoned-time.ts';

/** If the reader's machine does not know the zone, the call is shown in UTC. */
export const bookedCallRule = createRecordRule({
  at: createTextRule({
    min: 1,
    max: 17,
    allows: (text) => text.endsWith('Z') && isWallTime(text.slice(0, -1)),
  }),
  zone: createTextRule({ max: 64 }),
});

export type BookedCall = RuleValue<typeof bookedCallRule>;

export function toCallTime({ at }: BookedCall): number {
  return Date.parse(at);
}

/** Such as `2026-12-31 14:30 Europe/Berlin, 13:30 UTC`. */
export function formatBookedCall(call: BookedCall): string {
  const utc = call.at.replace('T', ' ').replace('Z', ' UTC');
  const local = toWallTime(toCallTime(call), call.zone);
  if (local === null || call.zone === 'UTC') return utc;
  return `${local.replace('T', ' ')} ${call.zone}, ${local.slice(0, 10) === call.at.slice(0, 10) ? utc.slice(11) : utc}`;
}
