/** The English of the safety page. */
export const englishSafety = {
  'safety.description':
    'How to leave this site quickly, what stays on your device, and who can help you now.',
  'safety.heading': 'Stay safe',
  'safety.danger':
    'In danger right now? Call your local emergency number first. We work in hours, not in minutes. {#link}Numbers by country{/link}',
  'safety.leaving':
    'Every page has a button, {#strong}Leave this page{/strong}. It stays at the top of the screen. It clears the screen at once and opens Wikipedia instead.',
  'safety.leaving.keys': 'If you have a keyboard, pressing the Escape key three times does the same.',
  'safety.leaving.typed': 'What you typed and didn’t send is gone. You won’t be asked whether you’re sure.',
  'safety.leaving.back':
    'Your browser’s Back button no longer leads to the page you left. It shows the page you saw before it, which may still be one of ours, or the page where you paid.',
  'safety.leaving.history': 'Leaving this way doesn’t delete your browser’s history.',
  'safety.leaving.plain':
    'With JavaScript turned off, the button is an ordinary link: it leaves, but Back leads to the page you left and shows what you typed there for some minutes, so close the tab instead. The Escape key does nothing.',
  'safety.traces': 'What stays on your device',
  'safety.traces.text':
    'Your browser keeps a list of the pages you visit. If someone else may look at your device:',
  'safety.traces.private':
    'Use a private window (also called incognito). It forgets the list when you close it. Keep it open until you’ve sent your question: the form you paid for is open only in that window. If you close it before then, a link back to the form comes by email, to the address you gave when you paid.',
  'safety.traces.history': 'Or delete today’s history when you’re done.',
  'safety.traces.words':
    'Keep your twelve words where nobody else looks, and don’t save them in a browser or in notes that sync to other devices.',
  'safety.traces.receipt':
    'Your receipt says online research, and so does your card statement, after our short name. The receipt goes to the email address that you give when you pay, so give one that only you read.',
  'safety.traces.spyware':
    'If someone may have put spying software on your device, a private window doesn’t help. Use a device that they have never held.',
  'safety.helplines': 'Who can help you now',
  'safety.helplines.text':
    'Each number comes from the page beside it. Calls may show up on a phone bill. If your country is missing, we left it out because we weren’t certain.',
  'safety.helplines.country': 'Country',
  'safety.helplines.who': 'Who answers',
  'safety.helplines.number': 'Number',
  'safety.helplines.source': 'From',
} as const;
