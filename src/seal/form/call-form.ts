/** Times for a call on a form: rows with a start and an end, and one time zone for all. */

import { isTimeZone } from '../case/zoned-time.ts';
import { type FormFields, readLineField } from './form-fields.ts';

/** The number of call times that the form offers. */
const CALL_WINDOW_ROWS = 3;

/** No zone or city name is longer. */
const MAX_ZONE_LENGTH = 100;

export const CALL_ZONE_CONTROL = 'call_zone';
export const CALL_NUMBER_CONTROL = 'call_number';
export const FIRST_CALL_CONTROL = 'call_1_start';

/** Skips empty rows. */
export function readCallWindows(fields: FormFields): unknown[] {
  return listFilledRows(fields).map((row) => ({
    start: readLineField(fields, `call_${row}_start`),
    end: readLineField(fields, `call_${row}_end`),
    zone: resolveTimeZone(readLineField(fields, CALL_ZONE_CONTROL)),
  }));
}

/** The form field for one part of the call window at `index`, which counts filled rows only. */
export function toCallFieldName(index: number, part: string | undefined, fields: FormFields): string {
  const row = listFilledRows(fields)[index] ?? 1;
  return part === 'zone' ? CALL_ZONE_CONTROL : `call_${row}_${part ?? 'start'}`;
}

/** From top to bottom. */
export function listCallTimeControls(): readonly string[] {
  return [...listCallRows().flatMap((row) => [`call_${row}_start`, `call_${row}_end`]), CALL_ZONE_CONTROL];
}

export function isCallFieldName(name: string): boolean {
  return /^call_(?:\d+_(?:start|end)|zone|number)$/.test(name);
}

/** Converts a city, typed with or without accents, to its time zone; the rules refuse any other text. */
function resolveTimeZone(text: string): string {
  // Normalizing takes quadratic time.
  if (text.length > MAX_ZONE_LENGTH) return text;
  const city = text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll(' ', '_');
  const wanted = city.toLowerCase();
  const found = Intl.supportedValuesOf('timeZone').find((zone) => {
    const name = zone.toLowerCase();
    return name === wanted || name.endsWith(`/${wanted}`);
  });
  return found ?? resolveOtherName(city) ?? text;
}

const REGIONS = ['Africa', 'America', 'Asia', 'Atlantic', 'Australia', 'Europe', 'Indian', 'Pacific'];

/** Each browser lists only one name for each zone: some list Calcutta, others Kolkata. */
function resolveOtherName(city: string): string | undefined {
  if (!/^[a-z][\w-]{2,40}$/i.test(city)) return undefined;
  return REGIONS.map((region) => `${region}/${city}`).find(isTimeZone);
}

function listFilledRows(fields: FormFields): number[] {
  return listCallRows().filter(
    (row) =>
      readLineField(fields, `call_${row}_start`) !== '' || readLineField(fields, `call_${row}_end`) !== '',
  );
}

/** Counted from one. */
export function listCallRows(): number[] {
  return Array.from({ length: CALL_WINDOW_ROWS }, (_none, index) => index + 1);
}
