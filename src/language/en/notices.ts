/** The English of telling buyers that something is new: the part of the case page, the letters, the feed and the calendar file. */
export const englishNotices = {
  'notice.sent':
    'You don’t have to keep looking: on your case page you can ask us to tell you when something is new, without giving anything away.',
  'notice.title': 'When something is new',
  'notice.intro':
    'You can come back with your twelve words whenever you like; nobody learns of that. If you’d rather be told, choose how.',
  'notice.by_mail': 'Tell me by email',
  'notice.by_feed': 'Use a private feed',
  'notice.by_calendar': 'Put a reminder in my calendar',
  'notice.about':
    'We can email you when we have a question, when your answer is ready, {$days :integer} days and {$hours :integer} hours before we delete this case, and once it’s deleted. The email says only that something is new: it doesn’t name us and has no link. It comes at midnight, 6 a.m., noon or 6 p.m. UTC, never at the moment something happens.',
  'notice.price':
    'This has a price. Your email provider, and anyone who reads your mail, will see that somebody writes to you. And whoever got hold of our keys and of our payment provider’s records could connect you with this case if you give us the address you paid with. So give us another one, best of all one that nobody else can open.',
  'notice.address': 'Email address',
  'notice.address.hint':
    'Not the address you paid with. We lock it, use it for nothing else, and delete it with your case.',
  'notice.address.invalid': 'Enter one email address, like name@example.com',
  'notice.save': 'Email me',
  'notice.saved': 'We’ll email you when something is new.',
  'notice.on': 'We’ll email you when something is new. To use another address, enter it below.',
  'notice.stop': 'Stop, and delete my address',
  'notice.stopped': 'Your address is deleted. We won’t email you any more.',
  'notice.mail.subject': 'Something is new',
  'notice.mail.new': 'You asked to be told when something is new. Something is.',
  'notice.mail.last':
    'You asked to be told when something is new. This is the last of these messages: everything was deleted, and with this message we delete your address, too.',
  'notice.mail.where':
    'Look where you always look. This message has no link on purpose, and nobody will ask you for anything by email.',
  'notice.feed.about':
    'If you have a feed reader, it can ask us whether something is new. Nobody learns of it but the program or service that reads the feed for you, so use a reader on your own device. Whoever finds the address of the feed can see whether something is new, and nothing else: it doesn’t open your case.',
  'notice.feed.show': 'Show the address of my feed',
  'notice.feed.ready': 'Your feed is ready.',
  'notice.feed.title': 'News',
  'notice.feed.nothing': 'Nothing is new.',
  'notice.feed.something': 'Something is new.',
  'notice.calendar.about':
    'Your browser makes a calendar file that says “{$title}”, and nothing about us. Many calendars are copied to a server and shown on other devices.',
  'notice.calendar.title': 'Look again',
  'notice.calendar.save': 'Save the calendar file',
} as const;
