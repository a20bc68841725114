/** The English of times: the locale of dates and numbers, and how long there is left. */
export const englishTimes = {
  /** The Intl locale of dates and numbers. */
  'time.locale': 'en-GB',
  'time.in_days': '.input {$days :integer} .match $days one {{in {$days} day}} * {{in {$days} days}}',
  'time.days_late': '.input {$days :integer} .match $days one {{{$days} day late}} * {{{$days} days late}}',
  'time.days_from_now':
    '.input {$days :integer} .match $days one {{{$days} day from now}} * {{{$days} days from now}}',
  'time.in_hours': '.input {$hours :integer} .match $hours one {{in {$hours} hour}} * {{in {$hours} hours}}',
  'time.hours_late':
    '.input {$hours :integer} .match $hours one {{{$hours} hour late}} * {{{$hours} hours late}}',
  'time.hours_from_now':
    '.input {$hours :integer} .match $hours one {{{$hours} hour from now}} * {{{$hours} hours from now}}',
  'time.in_hour': 'in less than an hour',
  'time.hour_late': 'less than an hour late',
  'time.hour_from_now': 'less than an hour from now',
  'time.local': '{$local} ({$utc})',
} as const;
