/** The English of what every page has: its frame, its forms, spans of time, and the steps of an inquiry. */
export const englishFrame = {
  /** How the language calls itself, for those who look for it. */
  'language.name': 'English',
  'frame.languages': 'Language',
  'frame.skip': 'Skip to main content',
  'frame.home': 'Go to the home page',
  'frame.menu': 'Main',
  'frame.menu.prices': 'Prices',
  'frame.menu.how': 'How it works',
  'frame.menu.privacy': 'Privacy',
  'frame.menu.case': 'Your case',
  'frame.out': 'Way out',
  'frame.out.how': 'How leaving works',
  'frame.out.text':
    'The button clears the screen at once and opens Wikipedia. Your browser’s Back button then shows the page you were on before this one. Your browser’s history is not deleted.',
  'frame.out.keys': 'Pressing Escape three times does the same.',
  'frame.out.more': 'More about leaving quickly, what stays on your device, and helplines',
  'frame.out.escape': 'or press {#key}Esc{/key} three times',
  'frame.out.leave': 'Leave this page',
  'frame.foot.about': 'Confidential inquiries using public information, for lawful purposes only.',
  'frame.foot.operator': 'Run by {$name}, {$address}. {#link}Who we are{/link}',
  'frame.foot.before': 'Before you buy',
  'frame.foot.what_you_get': 'What you get',
  'frame.foot.sample': 'A sample answer',
  'frame.foot.questions': 'Questions and answers',
  'frame.foot.refunds': 'Refunds',
  'frame.foot.terms': 'Terms',
  'frame.foot.help': 'Help',
  'frame.foot.privacy': 'What we keep and who can read it',
  'frame.foot.safety': 'Stay safe: leaving quickly, hiding your visit, helplines',
  'frame.foot.programs': 'For programs and agents',

  'form.problems': 'There is a problem',
  'form.optional': '(optional)',
  'form.error': 'Error:',
  'form.limit': 'Up to {$count :integer} characters',
  'form.count_left':
    '.input {$count :integer} .match $count one {{{$count} character left}} * {{{$count} characters left}}',
  'form.count_over':
    '.input {$count :integer} .match $count one {{{$count} character too many}} * {{{$count} characters too many}}',
  'form.open': 'You haven’t sent your form yet. {#link}Go back to your form{/link}',

  'time.span_days':
    '.input {$days :integer} .match $days 1 {{a day}} 2 {{two days}} 3 {{three days}} 7 {{seven days}} * {{{$days} days}}',
  'time.span_hours': '.input {$hours :integer} .match $hours 1 {{an hour}} * {{{$hours} hours}}',

  'steps.place': 'Step {$step :integer} of {$count :integer}',
  'steps.paid': 'Paid',
  'steps.question': 'Your question',
  'steps.case': 'Case opened',
  'markdown.index': 'For programs: {#link}llms.txt{/link} lists every page and document.',
  'markdown.forms':
    'The forms and buttons of this text are on {#page}the page itself{/page}. Programs send the same as {#docs}the reference{/docs} says.',
} as const;
