/** The English of signing in, and of letting a program act. */
export const englishSignIn = {
  'sign_in.title': 'Sign in',
  'sign_in.lead':
    '{#strong}{$client}{/strong} asks to act for you at {$site}. First tell us who you are, in one of two ways. Then you decide.',
  'sign_in.cancel': 'Cancel and go back',
  'sign_in.address.title': 'With your email address',
  'sign_in.address': 'Your email address',
  'sign_in.address.hint': 'We will send you a code. {$more}',
  'sign_in.address.hint.client':
    'We store the address locked with a key of our own, and share it with {$client} only if you tick a box for that later.',
  'sign_in.address.send': 'Send me a code',
  'sign_in.address.invalid': 'Enter an email address, like name@example.com',
  'sign_in.words.title': 'With the words of a case',
  'sign_in.words.hint.client': 'The program can then see how that case stands. It does not get the words.',
  'sign_in.words.note.server':
    '{#strong}Our script isn’t running in your browser.{/strong} Your words go to our server, which finds your case with them and then forgets them.',
  'sign_in.words.note.browser':
    '{#strong}Your words stay in your browser.{/strong} It sends only what finds your case.',
  'sign_in.words.send': 'Sign in with the words',
  'sign_in.code.title': 'Enter the code',
  'sign_in.code.lead':
    'Check your email for “{$subject}”. A six-digit code is good for {$minutes :integer} minutes, in this browser only. A longer one is good all day.',
  'sign_in.code': 'Code',
  'sign_in.code.hint': 'Not there? Look in spam, and for an earlier email from today with a longer code.',
  'sign_in.code.send': 'Continue',
  'sign_in.code.again': 'Use another address, or ask for a new code',
  'sign_in.code.spent': 'That code no longer works. Ask for a new one.',
  'sign_in.code.wrong':
    '.input {$guesses :integer} .match $guesses one {{That is not the code. You can try {$guesses} more time.}} * {{That is not the code. You can try {$guesses} more times.}}',
  'consent.title': 'Let {$client} act for you?',
  'consent.lead': 'If you allow it, {#strong}{$client}{/strong} may:',
  'consent.cases':
    'Your cases are the ones it sends for you. It does not get the words of a case that you sent yourself.',
  'consent.cases.words':
    'Your cases are the ones it sends for you, and the case whose words you have just used. It does not get the words of a case that you sent yourself.',
  'consent.end':
    'You can end this at any time on the page {#link}Programs that act for you{/link}. Otherwise it lasts until the program gives it up or has not used it for {$unused :integer} days, and {$days :integer} days at most.',
  'consent.end.words':
    'You can end this at any time on the page {#link}Programs that act for you{/link}. Otherwise it lasts until the program gives it up or has not used it for {$unused :integer} days, until the case is deleted, and {$days :integer} days at most.',
  'consent.back': 'You go back to {#code}{$place}{/code}. Allow this only if you started there.',
  'consent.back.app': 'an app on this device',
  'consent.email': 'Tell {$client} my email address',
  'consent.email.hint': 'Without the tick it knows you only by a random number.',
  'consent.allow': 'Allow',
  'consent.refuse': 'Don’t allow',
  'scope.case_read': 'see how your cases stand, and fetch the locked messages and findings in them',
  'scope.case_write.buy':
    'start a purchase: a person still pays for each one, on the page of the payment provider',
  'scope.case_write.send': 'send the inquiry that was paid for, and write in your cases',
  'scope.case_write.end':
    'change how long a case is kept, or withdraw it: a withdrawn case is deleted after {$hours :integer} hours',
  'scope.contact_write': 'send us contact messages',
  'scope.pricing_read': 'read our prices, and whether payments are open',
} as const;
