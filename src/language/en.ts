/**
 * Every sentence for people, in English and in MessageFormat 2: the source of the keys and arguments of all languages.
 *
 * `{$name}` is a value, `{#link}…{/link}` an element that the page makes. Two words for two ideas: what we cannot read
 * is *locked*, what is gone is *deleted*.
 */
import { englishCopies } from './en/case-copies.ts';
import { englishFaults } from './en/faults.ts';
import { englishFiles } from './en/files.ts';
import { englishFrame } from './en/frame.ts';
import { englishHome } from './en/home.ts';
import { englishFields } from './en/inquiry-fields.ts';
import { englishInquiry } from './en/inquiry-page.ts';
import { englishLetters } from './en/letters.ts';
import { englishNotices } from './en/notices.ts';
import { englishPermissions } from './en/permissions.ts';
import { englishPrivacy } from './en/privacy.ts';
import { englishSafety } from './en/safety.ts';

export const english = {
  ...englishFrame,
  ...englishHome,
  ...englishInquiry,
  ...englishFields,
  ...englishFaults,
  ...englishFiles,
  ...englishNotices,
  ...englishPermissions,
  ...englishPrivacy,
  ...englishSafety,
  ...englishLetters,
  ...englishCopies,

  /** The Intl locale of dates. */
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

  'check.title': 'Check your answers',
  'check.change': 'Change',
  'check.change.field': 'Change: {$label}',
  'check.empty': 'Left blank',
  'check.yes': 'Yes',
  'check.no': 'No',

  'case.title': 'Your case',
  'case.received.title': 'We have your question',
  'case.received': 'An investigator will open it soon. You don’t need to do anything.',
  'case.in_progress.title': 'An investigator is working on it',
  'case.in_progress': 'You don’t need to do anything.',
  'case.awaiting_client.title': 'We have a question for you',
  'case.awaiting_client': 'Please answer it below. Our deadline stays the same.',
  'case.delivered.title': 'Your answer is here',
  'case.delivered': 'Read it below, and save what you want to keep.',
  'case.declined.title': 'We couldn’t take this case',
  'case.declined': 'We’re sorry. Your investigator explains why below.',
  'case.withdrawn.title': 'You withdrew this case',
  'case.withdrawn': 'We have stopped work.',
  'case.late':
    'This is taking longer than we promised, and we are sorry. Your case is still open, and you don’t need to do anything.',
  'case.due': 'Answer due {$time}, {$left}',
  'case.deletion': 'We will delete this case on {$time}, {$left}.',
  'case.deletion.now': 'This case is being deleted right now.',
  'case.ends_soon': 'We will delete this case soon. If you need it longer, choose a later day below.',
  'case.shortened':
    'We have shortened how long we keep this case, from {$former :integer} to {$days :integer} days. You can change that below.',
  'case.call.offered':
    'Your service also includes a call. When you’re ready, tell us below when would suit you.',
  'case.call.proposed': 'We have your times for the call. We’ll confirm one of them here.',
  'case.call.booked': 'Your call is booked. The time is below.',
  'case.call': 'Your call',
  'case.call.when': 'When',
  'case.call.suggested': 'Times you suggested',
  'case.call.number': 'Number we’ll call',
  'case.call.number.none': 'We don’t have a number for you yet. Please send it in a message below.',
  'case.call.hint': 'Give us up to three times that suit you. We’ll confirm one here.',
  'case.call.suggest': 'Suggest or change times for the call',
  'case.call.another': 'Ask for another time',
  'case.call.send': 'Send these times',
  'case.call.sent': 'Your times were sent. We’ll confirm one here.',
  'case.call.calendar': 'Save to your calendar',
  /** Neutral, because others may see the calendar. */
  'case.call.calendar.title': 'Appointment',
  'case.call.calendar.hint': 'The entry is called “{$title}” and says nothing about us.',
  'case.call.calendar.none':
    'With JavaScript turned on, this page shows your own time zone and can save the call to your calendar.',
  'case.answer': 'The answer',
  'case.messages': 'Messages',
  'case.inquiry': 'What you sent',
  'case.end': 'Delete this case',
  'case.programs.text':
    'If you let a program act for you with the words of this case, or with your email address, you can {#link}see and end what it may do{/link}.',
  'case.you': 'You',
  'case.investigator': 'Investigator',
  'case.row.service': 'Service',
  'case.row.locked': 'Locked',
  'case.row.locked.browser': 'In your browser',
  'case.row.locked.agent': 'By the program that sent it',
  'case.row.locked.server': 'By our server, on arrival',
  'case.row.fingerprint': 'Key fingerprint',
  'case.refunds': 'When you get your money back',
  'case.fingerprint.note':
    'Your investigator should see the same fifteen digits. If they tell you different ones, stop writing here, and tell us some other way.',
  'case.file.save': 'Save {$file}',
  'case.file.loading': 'Loading and checking: {$percent :integer}%',
  'case.file.saved': 'Checked and saved.',
  'case.write': 'Write to your investigator',
  'case.write.send': 'Send',
  'case.write.sent': 'Your message was sent.',
  'case.keep': 'When should we delete this case?',
  'case.keep.hint':
    'You can change this as often as you like while the case exists. If the day you choose has already passed, we delete the case at once.',
  'case.keep.days': '{$days :integer} days after our answer',
  'case.keep.save': 'Save',
  'case.keep.unknown': 'Choose one of the days in the list',
  'case.keep.saved': 'We will delete this case {$days :integer} days after our answer.',
  'case.withdraw': 'Withdraw this case',
  'case.withdraw.hint':
    'We stop work at once, and delete the case after {$hours :integer} hours. This can’t be undone. Before you withdraw, check on our Refunds page whether you will get your money back.',
  'case.withdraw.act': 'Withdraw',
  'case.withdraw.unsure': 'Tick this if you want to withdraw the case',
  'case.withdraw.done': 'Your case is withdrawn.',
  /** To be typed, in capitals. */
  'case.purge.word': 'DELETE',
  'case.purge': 'To delete everything now, type {$word}',
  'case.purge.hint': 'Everything in this case will be gone for good. Save what you need first.',
  'case.purge.act': 'Delete now',
  'case.purge.unsure': 'Type {$word} if you want to delete everything',
  'case.purge.done.title': 'Everything was deleted',
  'case.purge.done':
    'What you sent and everything that was added to your case is gone, and so is the key to any copy on our disks.',
  'case.deleted_on': 'We deleted this case on {$day}. What was in it is gone for good.',

  'steps.title': 'Where your case stands',
  'steps.received': 'We received it',
  'steps.opens': 'An investigator will open it',
  'steps.opened': 'An investigator opened it',
  'steps.works': 'An investigator is working on it',
  'steps.since': 'since {$time}',
  'steps.waits': 'We are waiting for your answer',
  'steps.answer': 'You’ll get our answer',
  'steps.by': 'by {$time}',
  'steps.was_due': 'was due {$time}',
  'steps.answered': 'You have our answer',
  'steps.deleted': 'We’ll delete everything',
  'look.act': 'Check for updates',
  'look.about': 'This page also checks by itself, once a minute while it’s on your screen.',
  'look.at': 'Last checked at {$time}.',
  'look.nothing': 'Nothing new.',
  'look.message': 'New: a message from your investigator.',
  'look.answer': 'New: your answer is here.',
  'look.changed': 'New: {$title}',
  'lock.act': 'Lock my case',
  'lock.warning':
    'Nothing has happened here for a while. Your case will lock in less than a minute, and anything you’ve typed but not sent will be lost.',
  'lock.stay': 'Keep it open',
  'lock.idle':
    'We locked your case because nothing happened here for {$minutes :integer} minutes. Enter your words to open it again.',
  'lock.closed':
    'Your case is locked again. Your twelve words open it. On a shared device, close this tab too.',
  'lock.plain':
    'When you are done, close this tab. Otherwise whoever uses this device next can read your case here.',

  'find.title': 'Return to your case',
  'find.lead': 'Enter the twelve words that you wrote down when you sent your question.',
  'find.words': 'Your twelve words',
  'find.words.hint': 'In the right order. Capitals, commas and line breaks don’t matter.',
  'find.note.server':
    '{#strong}Our script isn’t running in your browser.{/strong} Your words go to our server, which opens your case with them and then forgets them.',
  'find.note.browser':
    '{#strong}Your words stay in your browser.{/strong} Your case is opened here, not on our server.',
  'find.open': 'Go to my case',
  'find.lost': 'I can’t find my words',
  'find.lost.lead':
    'Without them, nobody can open your case for you. We keep no copy, so we can’t send them again or make new ones. This is what still works:',
  'find.lost.look':
    '{#strong}Look for your copy:{/strong} a sheet of paper, a password manager, your notes or photos.',
  'find.lost.type':
    '{#strong}Type what you can read.{/strong} The first four letters of a word are enough, and if one letter is wrong this page suggests the word.',
  'find.lost.reach':
    '{#strong}If you told us in the form how to reach you,{/strong} your investigator can still use that. Work on your case goes on.',
  'find.lost.write':
    '{#link}Write to us{/link} about anything else. We can’t look a case up for you, because we can’t know that it’s yours.',
  'find.lost.end': 'Your case will be deleted on the day set for it, whether you come back or not.',

  'contact.title': 'Write to us',
  'contact.lead':
    'Only our investigators can read this. If you already have a case with us, write on {#link}your case page{/link} instead.',
  'contact.topic': 'What is it about?',
  'contact.topic.question': 'A question',
  'contact.topic.privacy_request': 'My data',
  'contact.topic.abuse_report': 'Report misuse',
  'contact.topic.security': 'Report a security problem',
  'contact.topic.press': 'Press question',
  'contact.message': 'Your message',
  'contact.reply_to': 'How can we reply to you?',
  'contact.reply_to.hint':
    'An email address or phone number that nobody else can see or answer. Without one, we can’t reply.',
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

  'paid.quote':
    'To find your payment we only need the day and the time you paid, and the number on your receipt if you have one. Please leave your question out.',
  'paid.prices': 'See the three services',
  'paid.cancelled.title': 'Payment cancelled',
  'paid.cancelled': 'Nothing was charged. You can choose again whenever you like.',
  'paid.processing.title': 'Your payment is on its way',
  'paid.processing': 'Your bank has not confirmed the payment yet. The form opens here as soon as it does.',
  'paid.processing.close': 'You can close this page and come back to it in this browser.',
  'paid.processing.again': 'Check again',
  'paid.failed.title': 'Your payment didn’t go through',
  'paid.failed':
    'Your bank did not confirm it, so there is no form to fill in. If you still want to ask, please pay again.',
  'paid.failed.charged':
    'Does your statement show a charge all the same? {#link}Write to us{/link}, and say how we can reply to you.',
  'paid.held':
    'Your payment has arrived and is not lost. We had to restore our records from a backup, so we are making sure that this payment has not already been used. Then the form opens here.',
  'paid.held.wait':
    'Come back to this page in a few hours. If you have already sent your inquiry, you don’t need it: enter your twelve words on the case page. If they open nothing there, please write to us.',
  'paid.none.title': 'There is no open form here',
  'paid.none':
    'A form opens here once you have paid, in the browser that you paid with. It can be sent once.',
  'paid.none.browser':
    '{#strong}Did you pay in another browser?{/strong} Open our home page there: it leads to your form.',
  'paid.none.mail':
    '{#strong}Did you close the window?{/strong} Check your email: {$minutes :integer} minutes after you paid, we send a link back to the form to the address you gave on the payment page. It may be in your spam folder.',
  'paid.sent':
    '{#strong}Have you already sent your form?{/strong} Enter your twelve words on {#link}your case page{/link}.',
  'paid.none.stuck':
    '{#strong}Can’t get back to it?{/strong} Your payment isn’t lost. Write to us, and say how we can reply to you.',
  'paid.unavailable.title': 'One moment, please',
  'paid.unavailable':
    'We can’t ask the payment provider about your payment right now. If you have paid, nothing is lost.',
  'paid.unavailable.reload': 'Reload this page in a minute.',
  'paid.link.title': 'Go back to your form',
  'paid.link':
    'The button opens your form in this browser. It stays open here until you send it, for {$days :integer} days at most.',
  'paid.link.private': 'If other people use this device, open the link in a private window instead.',
  'paid.link.open': 'Open my form',
  'paid.link.none.title': 'This link doesn’t open a form',
  'paid.link.none':
    'It works until the form is sent, and for {$days :integer} days at most. Check that you have the whole link: it may have been cut off in the message.',
  'paid.link.none.stuck':
    '{#strong}Haven’t sent it yet?{/strong} Your payment isn’t lost. Write to us, and say how we can reply to you.',
  'sign_in.title': 'Sign in',
  'sign_in.lead':
    '{#strong}{$client}{/strong} asks to act for you at {$site}. First tell us who you are, in one of two ways. Then you decide.',
  'sign_in.cancel': 'Cancel and go back',
  'sign_in.address.title': 'With your email address',
  'sign_in.address': 'Your email address',
  'sign_in.address.hint': 'We will send you a code. {$more}',
  'sign_in.address.hint.client':
    'We store the address locked with a key of our own, and tell {$client} only if you tick that later.',
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
    'Check your email. A six-digit code is good for {$minutes :integer} minutes, in this browser only. A longer one is good all day.',
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

  'problem.quote': 'If you write to us about this, quote {#code}{$id}{/code}. It tells us nothing about you.',
  'problem.not_found.title': 'There is no such page',
  'problem.not_found': 'The address may be mistyped, or the page no longer exists.',
  'problem.method_not_allowed.title': 'There is no such page',
  'problem.method_not_allowed': 'This address can’t be opened like this.',
  'problem.payment_required.title': 'This payment can’t open a case',
  'problem.payment_required':
    'It isn’t complete, was refunded, or has already opened a case. If you have twelve words, enter them on the case page.',
  'problem.payment_held.title': 'We are checking your payment',
  'problem.payment_held':
    'Nothing was sent, and your payment is not lost. We had to restore our records from a backup, so we are making sure that this payment has not already been used. Come back in a few hours, or write to us.',
  'problem.form_expired.title': 'This form is no longer open in this browser',
  'problem.form_expired':
    'Nothing was sent from here. If you have already sent this form, for example in another tab, your twelve words open the case. If not, your payment isn’t lost: use the link in the email that we send soon after a payment, or write to us.',
  'problem.payload_too_large.title': 'That was too much at once',
  'problem.payload_too_large': 'Nothing was sent. Attach fewer or smaller files.',
  'problem.foreign_form.title': 'This did not come from our site',
  'problem.foreign_form':
    'To protect you, we only accept forms from our own pages. Nothing was sent or charged.',
  'problem.sign_in_expired.title': 'This sign-in is over',
  'problem.sign_in_expired':
    'It took too long, is finished, or was started in another browser. Go back to where you started, and try again.',
  'problem.rate_limited.title': 'Please wait a minute',
  'problem.rate_limited': 'Too many requests came from your connection. Wait a minute, then try again.',
  'problem.payments_not_configured.title': 'Payments are closed at the moment',
  'problem.payments_not_configured': 'Nothing was ordered and nothing was charged. Please come back later.',
  'problem.payment_provider_unavailable.title': 'We can’t reach the payment provider',
  'problem.payment_provider_unavailable':
    'Nothing was ordered and nothing was charged. Please try again in a minute.',
  'problem.storage_full.title': 'There is no room for this at the moment',
  'problem.storage_full': 'Nothing was stored and nothing was charged. Please try again later.',
  'problem.sealing_unavailable.title': 'This could not be locked or opened at the moment',
  'problem.sealing_unavailable': 'Please try again in a few seconds. Nothing is stored twice.',
  'problem.overloaded.title': 'Too many people are here right now',
  'problem.overloaded': 'Please try again in a few seconds.',
  'problem.case_unknown': 'No case opens with these words. Check each of them, and their order.',
  'problem.case_purged.title': 'This case was deleted',
  'problem.case_purged': 'This case was deleted. What was in it is gone for good.',
  'problem.case_state': 'Your case has moved on since this page was loaded, so that is no longer possible.',
  'problem.case_changed': 'Something new arrived in your case just now. Read it, then send again.',
  'problem.case_exists': 'These twelve words already open a case. Load the form again to get new ones.',
  'problem.upload_incomplete': 'A file did not arrive completely. Send it again: your text is still here.',
  'problem.terms_changed.title': 'Our terms have changed',
  'problem.terms_changed':
    'Our terms have changed since this form was opened. Copy what you wrote, load the form again, read the terms there, and send it once more. Nothing was stored, and your payment is not spent.',
  'problem.sealing_keys_changed':
    'The keys that lock your text have changed. Copy what you wrote, load this page again, and send it once more. Nothing was stored, and your payment is not spent.',
  'problem.sealing_keys_changing':
    'The keys that lock your text are being changed right now. Try again in a few minutes. Nothing was stored, and your payment is not spent.',
  'problem.case_key_unreadable':
    'The key of this case can’t be read, so nobody can open it. Please write to us.',
  'problem.contact_full':
    'Too many messages are waiting at the moment. “Who we are”, at the end of this page, has an address that you can write to instead.',
  'problem.unreachable':
    'We can’t be reached. Check your connection and try again. What you wrote is still here.',
  'problem.unexpected': 'Something went wrong in this browser. What you wrote is still here: try again.',
  'problem.sealer_broken':
    'This browser stopped locking your text. Copy what you wrote, then load the page again.',
  'problem.sealer_missing':
    'Nothing was sent: your browser could not lock it. Read the note above the button before you press again.',
  'problem.connection_lost':
    'The connection was lost before the whole file had arrived. Nothing was saved: try again.',
  'problem.unsupported': 'This page is out of date. Load it again.',
  'problem.client.title': 'That did not work',
  'problem.client':
    'Something about what your browser sent was not right. Nothing was stored. Please try again.',
  'problem.server.title': 'Something went wrong on our side',
  'problem.server': 'It was not your fault. Please try again in a minute.',
} as const;
