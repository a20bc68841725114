/** The English of the page where a person sees and ends what programs may do. */
export const englishPermissions = {
  'permissions.title': 'Programs that act for you',
  'permissions.lead': 'Here you see what you have allowed programs to do for you, and can end it.',
  'permissions.sign_in':
    'Sign in the way you did when you allowed it. We ask each time, because nobody stays signed in here.',
  'permissions.address.hint': 'You then see what you allowed with that address.',
  'permissions.words.hint': 'You then see what you allowed with these words.',
  'permissions.expired': 'That page was open too long. Sign in again.',
  'permissions.none': 'No program may act for you with this address or these words. There is nothing to end.',
  'permissions.ends':
    'Each permission ends when you end it here, when its program gives it up or has not used it for {$unused :integer} days, and after {$days :integer} days at the latest.',
  'permissions.minutes': 'This page works for {$minutes :integer} minutes. Then sign in again.',
  'permissions.more':
    'You see what you allowed with the address or the words that you have just used. {#link}Sign in another way{/link} to see more.',
  'permissions.all': 'Everything at once',
  'permissions.all.text': 'You can end all that you allowed with this address or these words.',
  'permissions.all.older':
    'There are older permissions that are not shown here. You can end all that you allowed with this address or these words.',
  'permissions.all.end': 'End all of them',
  'permissions.all.keep': 'Keep them',
  'permissions.all.title': 'End everything that programs may do for you?',
  'permissions.all.confirm': 'No program will be able to act for you with this address or these words.',
  'permissions.all.ended': 'Ended: no program can act for you with this address or these words any longer.',
  'permissions.given': 'You allowed it on {$day} to:',
  'permissions.given.client': 'You allowed {#strong}{$client}{/strong} on {$day} to:',
  'permissions.email.known': 'It knows your email address.',
  'permissions.email.unknown': 'It does not know your email address.',
  'permissions.end': 'End this{#unseen} permission of {$client}, given on {$day}{/unseen}',
  'permissions.end.title': 'End what {$client} may do?',
  'permissions.end.other': 'It has another permission of yours, which stays unless you end that too.',
  'permissions.end.confirm':
    'It ends at once. What was bought and sent before stays as it is, and you can allow it again from the program.',
  'permissions.end.act': 'End it',
  'permissions.end.keep': 'Keep it',
  'permissions.ended': 'Ended: {$client} can no longer act for you.',
  'permissions.ended.other':
    'Ended: what you allowed {$client} on {$day}. It still has another permission of yours, below.',
  'permissions.ended.already': 'That permission had ended already.',
  'refusal.title': 'The sign-in can’t go on',
  refusal:
    'The program that sent you here made a mistake, or waited too long. Nothing was shared. Go back to it and begin again.',
  'refusal.author': 'For its author: {#code}{$error}{/code}',
} as const;
