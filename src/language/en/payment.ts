/** The English of prices, and of the pages around a payment. */
export const englishPayment = {
  /** Before the amount. */
  'price.dollars': '$',
  'paid.quote':
    'To find your payment we only need the day and the time you paid, and the number on your receipt if you have one. Please leave your question out.',
  'paid.prices': 'See the three services',
  'paid.cancelled.title': 'Payment cancelled',
  'paid.cancelled': 'Nothing was charged. You can choose again whenever you like.',
  'paid.elsewhere.title': 'Did you pay for {$tier}?',
  'paid.elsewhere':
    'This payment doesn’t seem to have begun in this browser. If you paid, for example on another device, or for a program that works for you, go on here.',
  'paid.elsewhere.not':
    'If you didn’t pay, close this page. The payment is someone else’s, and they could see when you use it.',
  'paid.elsewhere.open': 'Yes, I paid. Go on',
  'paid.program.title': 'Your payment has arrived',
  'paid.program': 'The program that asked for this payment goes on by itself. You can close this page.',
  'paid.program.form':
    '{#strong}Did it ask you to write the inquiry yourself?{/strong} {#link}Open the form{/link}. It uses the payment up, so the program can no longer send anything for it.',
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
} as const;
