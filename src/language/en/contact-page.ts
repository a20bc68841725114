/** The English of the contact page. */
export const englishContact = {
  'contact.description':
    'Questions, your data, misuse, security, press: write to us in confidence, without an account.',
  'contact.title': 'Write to us',
  'contact.lead':
    'Only our investigators can read this. If you have a case with us and {#link}your case page{/link} still lets you write, write there instead.',
  'contact.topic': 'What is it about?',
  'contact.topic.question': 'A question',
  'contact.topic.privacy_request': 'My data',
  'contact.topic.abuse_report': 'Report misuse',
  'contact.topic.security': 'Report a security problem',
  'contact.topic.press': 'Press question',
  'contact.message': 'Your message',
  'contact.reply_to': 'How can we reply to you?',
  'contact.reply_to.hint':
    'An email address that nobody else reads, or a phone that nobody else answers. Without one, we can’t reply.',
  'contact.note.server':
    '{#strong}Our script isn’t running in your browser.{/strong} Our server locks your message the moment it arrives, and can read it for that moment. Nothing readable is stored.',
  'contact.note.browser': '{#strong}Locked in your browser.{/strong} Our server never sees the text.',
  'contact.send': 'Send',
  'contact.full':
    'Our inbox is full at the moment. Please write to {#link}{$address}{/link} instead. Email can be read on its way, so don’t put anything about a case in it.',
  'contact.full.write': 'Our inbox is full at the moment. Please write to {$address} instead.',
  'contact.full.case':
    'If you already have a case with us, write on {#link}your case page{/link}: that still works.',
  'contact.sent.title': 'Thank you',
  'contact.sent': 'Your message has reached us, locked. If you told us how to reply, we will.',
} as const;
