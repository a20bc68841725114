/** The English of telling buyers that something is new: the part of the case page, the letters and the calendar file. */
export const englishNotices = {
  'notice.sent':
    'You don’t have to keep checking: on your case page you can ask us to tell you when there’s something new. What we send says no more than that.',
  'notice.title': 'When there’s something new',
  'notice.intro':
    'You can come back with your twelve words whenever you like. If you’d rather not keep checking, choose how to hear from us.',
  'notice.by_mail': 'Tell me by email',
  'notice.by_calendar': 'Put a reminder in my calendar',
  'notice.about':
    'We can email you when your investigator writes to you, when your answer is ready, {$days :integer} days before we delete this case, again {$hours :integer} hours before, and once it’s deleted. Each email says only that there’s something new: it doesn’t name us and has no link. They come at midnight, 6 a.m., noon or 6 p.m. UTC, never at the moment something happens.',
  'notice.price':
    'Email has its risks. Your email provider, and anyone else who reads your mail, will see that someone is writing to you, and the address we write from. And if you give us the address you paid with, anyone who got hold of our keys and of our payment provider’s records could connect you with this case. So give us a different address, ideally one that nobody else can open.',
  'notice.address': 'Email address',
  'notice.address.hint':
    'Don’t use the one you paid with. We lock the address you give us, use it for nothing else, and delete it after the last email.',
  'notice.address.invalid': 'Enter one email address, like name@example.com',
  'notice.save': 'Email me',
  'notice.saved': 'We’ll email you when there’s something new.',
  'notice.on': 'We’ll email you when there’s something new. To use another address, enter it below.',
  'notice.stop': 'Stop, and delete my address',
  'notice.stopped': 'Your address is deleted. We won’t email you any more.',
  'notice.mail.subject': 'There is something new',
  'notice.mail.new': 'You asked us to tell you when there’s something new. There is.',
  'notice.mail.last':
    'You asked us to tell you when there’s something new. There is, and this is the last of these messages: now that we’ve written, your address is being deleted.',
  'notice.mail.where':
    'You know where to look. This message has no link on purpose, and nobody will ask you for anything by email.',
  'notice.calendar.about':
    'Your browser makes a calendar file that reminds you when your answer is due or, once you have it, {$days :integer} days before we delete this case. It can’t know when we write to you. It says “{$title}”, and nothing about us. Many calendars are copied to a server and shown on other devices.',
  'notice.calendar.title': 'Look again',
  'notice.calendar.save': 'Save the calendar file',
} as const;
