/** The English of the privacy page. */
export const englishPrivacy = {
  'privacy.title': 'Privacy: what we keep and who can read it',
  'privacy.description':
    'What we keep of an inquiry, who can read it, when it is deleted, and what could still go wrong.',
  'privacy.heading': 'What we know about you',
  'privacy.lead':
    'As little as the work allows. This page says what we keep, who can open it, when we delete it, and where our protection ends.',
  'privacy.payment': 'Your payment',
  'privacy.end': 'When we delete what',
  'privacy.visit': 'Your visit',
  'privacy.risk': 'What could still go wrong',
  'privacy.questions': 'Questions',
  'privacy.case.locked':
    'Your question, your files, your messages and the answer are locked before they are stored. With JavaScript, your browser locks them and our server never sees the text. Without it, the server locks them the moment they arrive and writes nothing of them down; the form tells you so before you send.',
  'privacy.case.sides':
    'Two sides can unlock a case: you, with your twelve words, and our investigators, with keys that are not on the server. There is one spare key, in case an investigator’s key is lost; it is kept away from the server too. We can’t give you your twelve words again. Whoever has them can read the case, and without them you can’t.',
  'privacy.case.messages':
    'Each message vouches for those before it: if one is removed or replaced after it was answered, the case page shows both sides that something is missing. The page also shows twenty digits, the fingerprint of the case’s key, and your investigator sees the same ones. If your investigator’s are different, someone may be intercepting your messages: stop writing there, and tell us in some other way.',
  'privacy.case.notes':
    'Our investigators can keep notes in a case, which only they can read. Notes are locked with the case. We also keep a list of which investigator read or changed a case, and when. Both are deleted with the case. If one of them deletes a closed case before its day, the list keeps who did it and on which day, but not which case it was. The same list says who decided something about an order, with the day, or marked a message from the contact form as done; that goes when the order or the message is deleted.',
  'privacy.case.open':
    'Not locked, because the work needs it: which service you bought, when the case was sent and when it is due, how far it has come, when an investigator opened it and who has it, how long you want it kept, and roughly how large it is.',
  'privacy.case.device':
    'For your inquiry, our pages store one cookie on your device until the form is sent, a short-lived one that says that a payment began there, and another with your language if you choose one other than your browser’s. They store nothing else unless you tick “Keep what I type if this page reloads”: your tab then keeps what you typed and your twelve words, locked. We hold half of the key, and delete it when you send the form, when you press “Leave this page”, or after a day.',
  'privacy.payment.stripe':
    'You pay on the page of our payment provider, Stripe, under its own rules. It learns your name, your card and your email address. What you bought is called online research on that page, on your receipt and, after our short name, on your card statement. Your card number never reaches us.',
  'privacy.payment.mail':
    'If you haven’t sent your form {$minutes :integer} minutes after you paid, we ask Stripe for that email address and send one message there, with a link back to the form. It doesn’t say what you bought, and we don’t keep the address. Our record of your order doesn’t hold the link itself, only a fingerprint of it, and only until the form is sent. Whoever can read your mail can open the empty form with the link, for {$days :integer} days at most and only until you have sent it; nobody can use it to read what you wrote.',
  'privacy.payment.order':
    'Our record of your order says what was bought, for how much and whether it was paid. Once the form is sent, it keeps the day but not the time. The part of your case that isn’t locked doesn’t name the order: the only link between the two is in the locked part. But both name the service, so on a day when we sold that service only once, the two can be matched.',
  'privacy.news': 'If you want to hear when there’s something new',
  'privacy.news.text':
    'We email you when there’s something new only if you ask for it on your case page. You give us an address for this and nothing else: we take none from your payment, and our server could not read one in your question. We lock it with a key of our own, apart from your case, keep it out of our backups, and delete it when you say so or, at the latest, after the last email. Each email says only that there’s something new. They come at one of four fixed hours.',
  'privacy.news.address':
    'Please don’t use the address you paid with. If you did, anyone who had our key, our records and our payment provider’s records could tell that the case is yours.',
  'privacy.news.without':
    'You can be reminded without an email address, too: a calendar file is made in your browser, and we don’t learn of it.',
  'privacy.programs.text':
    'You can let a program, such as an assistant, buy, send and read cases for you. It sees what it sent for you. Of the case whose words you signed in with, the program sees how far it has come, but it can’t unlock what is written there. It sees nothing of other people who use the same program. It learns your email address only if you tick a box for that.',
  'privacy.programs.plain':
    'What an assistant sends for you, it sees, and so does the service that it runs on; our server sees it while it locks it. A program that has your twelve words can ask our server to unlock a case for it, but only a case that our server locked. The server then sees the words and the text for as long as it answers, and writes nothing of them down. So does whatever the program itself runs on, such as the service of an AI assistant.',
  'privacy.programs.events':
    'A program that acts for itself, not for you, can ask us to tell it when something happens. We then tell it the number of its order or its case, and nothing else. For as long as it wants that, we keep beside each of its cases which program it is, locked with a key of our own. After such a case is deleted, its number and the program stay, locked the same way, until the program has been told; that is {$days :integer} days at most.',
  'privacy.programs.kept':
    'For this we keep your address, locked with a key of our own, or a fingerprint of the words. We also keep what you allowed, to which program and when. You can {#link}see what you allowed, and end it{/link}, at any time. It ends by itself when the program has not used it for {$unused :integer} days, after {$days :integer} days at the latest, and, if you signed in with words, when the case is deleted. The address stays, so that we know you when you come back.',
  'privacy.end.means':
    'Deleted means that we first destroy the one key without which nobody, not even you or we, can open a copy of the records, and then remove the records themselves. Where we cannot overwrite that key, a trace of it may last longer: in the log of a database server, in the worn parts of a disk. Whoever found it there would also need a copy of your case, and your words or an investigator’s key.',
  'privacy.end.backups':
    'We make backups for emergencies, locked like a case. After a case is deleted, a copy of its key stays in our backups for {$span} at most. In that time a backup could still be used to open the case; after that, none can, and if we ever have to go back to a backup, what was deleted stays deleted. A message through our contact form has no such key: an investigator could still open it in a backup for as long as we keep that backup, and if we had to restore one, the message would come back until its own day of deletion.',
  'privacy.visit.trackers':
    'There are no trackers, no advertising and nothing from other sites on our pages. When you buy, a cookie notes for {$hours :integer} hours that the payment began in your browser. After the payment one keeps the form open in your browser, until you send it and for {$days :integer} days at most; while you sign in to let a program act for you, others keep your place for {$minutes :integer} minutes. If you choose a language other than your browser’s, a cookie with that language alone remembers it until you close the browser.',
  'privacy.visit.log':
    'Our log notes that a page was requested, under a random number, but not by whom: no internet address, no browser, nothing you typed. To stop abuse, we count requests by address in memory, in a scrambled form that changes every day, and never store it.',
  'privacy.visit.device':
    'Your own device still remembers the addresses of the pages you visited. The one you came back to after paying contains a number that opens the form until you have sent it. Use a private window, or clear the history, if someone else may look at it.',
  'privacy.risk.server':
    'If someone took over our server, they could send your browser a false page that reads what you type as you type it. What you sent earlier would stay locked, unless you typed your twelve words into such a page.',
  'privacy.risk.held':
    'Someone with access to our server could hold a message back, or remove one that nobody has answered yet.',
  'privacy.risk.plain':
    'Without JavaScript, or through a program that doesn’t lock and unlock by itself, you have to trust the server at the moment you send or read.',
  'privacy.risk.times':
    'Our server sees when a payment and a case come in, and Stripe keeps the time of each payment. Someone who watched the server, or who had Stripe’s records and ours, could find out which belong together; on a quiet day, our records alone can be enough.',
  'privacy.risk.mail':
    'We send ourselves two kinds of email: one says only how many cases are waiting, the other only that a case is due soon or overdue. Whoever read the second kind could work out when a case came in, but not whose it is or what it says. If you sign in with an email address, get the message with the way back to your form, or ask to hear when there’s something new, your mail provider sees that you deal with this site.',
  'privacy.risk.network':
    'Your internet provider, or whoever runs your network, can see that you visited this site, though not what you read or wrote.',
  'privacy.risk.words':
    'Whoever finds your twelve words, or uses your device while your form or your case is open on it, is you as far as we can tell.',
  'privacy.questions.write':
    '{#link}Write to us{/link}: your message is locked like a case. You can also write to {#mail}{$address}{/mail}, but email can be read on its way, so don’t put anything about a case in it.',
  'privacy.questions.end':
    'A message to us is deleted at most {$done :integer} days after we have dealt with it, and after {$days :integer} days at the latest.',
  'privacy.row.answered': 'A case that was answered',
  'privacy.row.answered.end':
    '{$days :integer} days after the answer, or after {$longer} days if you ask us to keep it',
  'privacy.row.declined': 'A case that we declined',
  'privacy.row.declined.end': 'After {$days :integer} days',
  'privacy.row.withdrawn': 'A case that you withdrew',
  'privacy.row.withdrawn.end': 'After {$hours :integer} hours',
  'privacy.row.left': 'What stays of a deleted case',
  'privacy.row.left.end':
    'We keep the service, the month and how it ended. The exact day it was deleted, and the record that your words belonged to it, are deleted after {$days :integer} days. The key of each investigator who opened the case remembers it for about {$months :integer} months, in a form that says nothing without that key',
  'privacy.row.news': 'An address for update emails',
  'privacy.row.news.end':
    'When you ask us to, or when you withdraw or delete the case; otherwise with the last email, at most {$days :integer} days after the case is deleted',
  'privacy.row.order': 'An order',
  'privacy.row.order.end':
    'If it was never paid, after {$unpaid :integer} days. Otherwise {$days :integer} days after you bought the service: we need it for our accounts, so it is not deleted with the case',
  'privacy.row.unused': 'An order that you paid for and did not use',
  'privacy.row.unused.end': 'Not before you use it or have your money back',
} as const;
