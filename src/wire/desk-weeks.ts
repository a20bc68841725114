/** What the desk and the service exchange about weeks and months: counts of cases that identify none of them. */
import { type Static, Type } from 'typebox';
import { describeObject } from '#platform/http/shapes.ts';
import { ItemCount, TimeText } from './desk-shapes.ts';

/** Hours from sending to delivery are counted in steps of this size; the last one begins at `LAST_STEP`. */
export const HOUR_STEP = 6;
export const LAST_STEP = 42;

/**
 * `GET /desk/numbers/weeks`. By week, from its Monday: `sent Trace`, `hours 12` to delivery or `hours late`,
 * `declined`, `withdrawn`. By month of delivery: `delivered`, and `opened` by their buyers.
 */
export const DeskWeeksSchema = describeObject({
  counts: Type.Array(
    describeObject({
      period: Type.String({ pattern: '^\\d{4}-\\d\\d(-\\d\\d)?$' }),
      what: Type.String({ pattern: '^[a-z]+( [A-Za-z0-9 ]{1,40})?$', maxLength: 50 }),
      counted: ItemCount,
    }),
    { maxItems: 2_000 },
  ),
  now: TimeText,
});
export type DeskWeeks = Static<typeof DeskWeeksSchema>;
