/** The English of what the operator's pages are called, and of letters to buyers. */
export const englishLetters = {
  'content.terms': 'what we agree on',
  'content.refunds': 'when you get your money back',
  'content.about': 'who answers your question',
  'content.questions': 'what people ask before they buy',
  'content.what-you-get': 'the three services',
  'content.sample': 'an example, made up',
  'content.privacy': 'privacy, and who can read what we keep',
  'content.safety': 'leaving quickly, hiding your visit, helplines',
  'content.sample.mark': 'This is an example. The question, the people and the addresses in it are made up.',
  'content.terms.version': 'Version {#link}{$version}{/link}, in force now.',
  'content.terms.former':
    'This is an earlier version, {#code}{$version}{/code}. {#link}The terms in force now{/link}',
  'content.english': 'This page is in English.',

  'letter.subject': 'A message for you',
  'letter.code.first':
    'You asked us for this message a moment ago. If other people can see your screen, read on when they can’t.',
  'letter.code':
    'is your code for signing in at {$site}. It is good for {$minutes :integer} minutes, in the browser that asked for it.',
  'letter.code.long':
    'is your code for signing in at {$site} today. Several codes were asked for with your address, so this one is longer, and good for {$hours :integer} hours in any browser. Until then no other code is sent.',
  'letter.code.secret': 'Nobody from {$site} will ever ask you for it.',
  'letter.code.unasked':
    'If you did not ask for a code, somebody else typed your address. You don’t need to do anything: without this code nothing happens.',
  'letter.form': 'You haven’t sent your form yet. Here is the way back to it:',
  'letter.form.button':
    'Press the button on that page. The link works until the form is sent, for {$days :integer} days at most.',
  'letter.form.end':
    'If you have sent the form, or don’t want to go on, you don’t need to do anything. We won’t remind you again, and we don’t keep your address.',
} as const;
