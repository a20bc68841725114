/** Text with times in it, so that a page can mark each one, and a script can show it in the reader's own zone. */
import type { Say, SentenceValues, TextKey } from './catalogue.ts';
import { formatMessageValue, selectMessageParts } from './compiled-sentence.ts';
import type { Language } from './language.ts';

/** A time in UTC, because the server does not know the reader's zone. */
export interface ShownTime {
  readonly datetime: string;
  readonly text: string;
}

export type TimedText = readonly (string | ShownTime)[];

/** A sentence whose values may be times. */
export function sayTimed<Key extends TextKey>(
  language: Language,
  key: Key,
  values: SentenceValues<Key, string | ShownTime>,
): TimedText {
  const given = values as Readonly<Record<string, unknown>>;
  const { locale, direction } = language;
  return selectMessageParts(language.getMessage(key), given, locale).map((part) => {
    if (typeof part === 'string') return part;
    const value = 'value' in part ? given[part.value] : undefined;
    return isShownTime(value) ? value : formatMessageValue(value, locale, direction);
  });
}

function isShownTime(value: unknown): value is ShownTime {
  return typeof value === 'object' && value !== null && 'datetime' in value;
}

export function formatTimedText(text: TimedText): string {
  return text.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

/** `withYear` is for times that may be a year away. */
export function toShownTime(
  { say }: { readonly say: Say<'time.locale'> },
  time: number,
  { withYear = false } = {},
): ShownTime {
  return {
    datetime: new Date(time).toISOString(),
    text: `${formatDay(time, say('time.locale'), withYear)}, ${formatUtcHour(time)}`,
  };
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

function formatDay(time: number, locale: string, withYear: boolean): string {
  const key = `${locale} ${withYear}`;
  const format =
    dayFormats.get(key) ??
    new Intl.DateTimeFormat(locale, {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      ...(withYear ? { year: 'numeric' } : {}),
      timeZone: 'UTC',
    });
  dayFormats.set(key, format);
  return format.format(time);
}

export function formatUtcHour(time: number): string {
  return `${new Date(time).toISOString().slice(11, 16)} UTC`;
}

/** A day without an hour, such as 2026-11-15. */
export function formatLongDay(day: string | number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));
}

/** Names no day while the rest of the case is still being deleted. */
export function formatPurgedSentence(
  say: Say<'case.deletion.now' | 'case.deleted_on' | 'time.locale'>,
  day: string | undefined,
): string {
  if (day === undefined) return say('case.deletion.now');
  return say('case.deleted_on', { day: formatLongDay(day, say('time.locale')) });
}

const DAY_HOURS = 24;

/** A time span in words, for sentences that read better without digits: whole days if possible, else hours. */
export function formatSpan(say: Say<'time.span_days' | 'time.span_hours'>, hours: number): string {
  return hours % DAY_HOURS === 0
    ? say('time.span_days', { days: hours / DAY_HOURS })
    : say('time.span_hours', { hours });
}
