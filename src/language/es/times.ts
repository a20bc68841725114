/** The Spanish of times: the locale of dates and numbers, and how long there is left. */
import type { englishTimes } from '#language/en/times.ts';

export const spanishTimes = {
  'time.locale': 'es-419',
  'time.in_days': '.input {$days :integer} .match $days one {{en {$days} día}} * {{en {$days} días}}',
  'time.days_late':
    '.input {$days :integer} .match $days one {{{$days} día de retraso}} * {{{$days} días de retraso}}',
  'time.days_from_now':
    '.input {$days :integer} .match $days one {{dentro de {$days} día}} * {{dentro de {$days} días}}',
  'time.in_hours': '.input {$hours :integer} .match $hours one {{en {$hours} hora}} * {{en {$hours} horas}}',
  'time.hours_late':
    '.input {$hours :integer} .match $hours one {{{$hours} hora de retraso}} * {{{$hours} horas de retraso}}',
  'time.hours_from_now':
    '.input {$hours :integer} .match $hours one {{dentro de {$hours} hora}} * {{dentro de {$hours} horas}}',
  'time.in_hour': 'en menos de una hora',
  'time.hour_late': 'menos de una hora de retraso',
  'time.hour_from_now': 'dentro de menos de una hora',
  'time.local': '{$local} ({$utc})',
} as const satisfies Readonly<Record<keyof typeof englishTimes, string>>;
