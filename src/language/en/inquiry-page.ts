/** The English of the inquiry form, except its fields, and of the page after sending. */
export const englishInquiry = {
  'inquiry.title': 'Your question, step {$step :integer} of {$count :integer}',
  'inquiry.heading': 'Tell us your question',
  'inquiry.lead':
    'Tell us what you have, and leave out what you don’t want us to know. Nothing is saved until you send it.',
  'inquiry.private':
    'Does someone else use this device? Your browser keeps a list of the pages you visit. {#link}What stays on your device{/link}',
  'inquiry.helplines':
    'If someone is in danger, these people can help sooner than we can: {#link}emergency numbers and helplines by country{/link}.',
  'inquiry.terms':
    'When you send this, you agree to our {#terms}terms{/terms}. See {#refunds}when you get your money back{/refunds}.',
  'inquiry.note.server':
    '{#strong}Our script isn’t running in your browser.{/strong} Our server locks what you send the moment it arrives, and can read it for that moment. Nothing readable is stored.',
  'inquiry.note.browser':
    '{#strong}Locked in your browser.{/strong} What you send is locked here, before it leaves. Our server never sees the text.',
  'inquiry.sending': 'Sending',
  'inquiry.sending.percent': 'Locking and sending: {$percent :integer}%. Keep this page open.',
  'inquiry.send': 'Send and open my case',
  'inquiry.send.hint':
    'The {$hours :integer} hours begin when you send this. Read through your answers once more before you do.',
  'inquiry.check': 'Check my answers',
  'inquiry.check.hint': 'Nothing is sent yet.',
  'inquiry.not_sent': 'Nothing has been sent yet.',
  'inquiry.change': 'Go back to the form',
  'inquiry.slip': 'Payment received',
  'inquiry.slip.service': 'Service',
  'inquiry.slip.delivery': 'Delivery',
  'inquiry.slip.paid': 'Paid',
  'inquiry.next': 'What happens next',
  'inquiry.next.words':
    '{#strong}You keep twelve words.{/strong} They open your case again, and nothing else does.',
  'inquiry.next.read': '{#strong}An investigator reads your question.{/strong} Your case page shows when.',
  'inquiry.next.answer': '{#strong}You get the answer{/strong} within {$hours :integer} hours of sending.',

  'draft.keep': 'Keep what I type if this page reloads',
  'draft.keep.hint':
    'If you tick this, the tab keeps your text and your twelve words, locked. We hold half of the key, and delete it when you send the form, when you press “Leave this page”, or after a day. Don’t tick this if someone else may use this browser before then.',
  'draft.restored':
    '{#strong}We brought back what you typed.{/strong} Your twelve words are the same as before. Please choose your files again.',
  'draft.lost':
    '{#strong}What you typed before could not be brought back.{/strong} A draft is kept for a day at most, and then it is gone.',
  'draft.failed':
    '{#strong}Your text is not being kept.{/strong} We could not be reached. Tick the box again in a moment.',

  'words.intro':
    'They are the only way back to your case. Write them down now, or print them, and keep them where nobody else looks. We can’t give them to you again. If you reload this page before you send it, you get new words, unless you ticked “Keep what I type”.',
  'words.new':
    '{#strong}These are new words.{/strong} This page was loaded again. If you wrote words down from it before, cross them out: they open nothing.',
  'words.asked': 'Two of your words, from your own copy',
  'words.asked.hint': 'The words above are hidden while you type here. The first four letters are enough.',
  'words.asked.word': 'Word {$position :integer}',
  'words.print': 'Print the words',
  'words.print.title': 'Notes',
  'words.print.address': 'Print the web address of your case page too',
  'words.print.address.hint': 'Leave it out if someone may find the paper.',
  'words.copy': 'Copy the words',
  'words.copied':
    'Copied. Paste the words where you keep them, then copy something else: other apps can read what was copied last.',
  'words.not_copied': 'Your browser did not copy them. Write them down or print them.',
  'words.hide': 'Hide the words',
  'words.show': 'Show the words',

  'sent.title': 'Your case is open',
  'sent.due':
    'Thank you. An investigator will read your question soon, and your answer is due on {#strong}{$time}{/strong}.',
  'sent.danger':
    '{#strong}You wrote that someone is in danger right now.{/strong} Please call your local emergency number. We work in hours, not in minutes. {#link}Numbers by country{/link}',
  'sent.words': 'Your twelve words',
  'sent.words.text':
    'Come back with them to follow the case, to write to us, and to read the answer. Nobody can give them to you again.',
  'sent.case': 'Go to my case',
  'sent.case.server':
    'The button sends your twelve words to our server, which opens your case with them and then forgets them.',
  'sent.close': 'Close this page when you have the words. On a shared device, clear its history too.',
  'sent.already.title': 'Your question has been sent',
  'sent.already': 'Enter your twelve words to follow your case.',
  'unsent.wrote': 'What you wrote',
  'unsent.copy': 'Copy it now: we have kept none of it.',

  'check.title': 'Check your answers',
  'check.change': 'Change',
  'check.change.field': 'Change: {$label}',
  'check.empty': 'Left blank',
  'check.yes': 'Yes',
  'check.no': 'No',
} as const;
