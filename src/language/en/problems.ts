/** The English of what went wrong, by the code of the problem. */
export const englishProblems = {
  'problem.quote': 'If you write to us about this, quote {#code}{$id}{/code}. It tells us nothing about you.',
  'problem.not_found.title': 'There is no such page',
  'problem.not_found': 'The address may be mistyped, or the page no longer exists.',
  'problem.method_not_allowed.title': 'There is no such page',
  'problem.method_not_allowed': 'This address can’t be opened like this.',
  'problem.payment_required.title': 'This payment can’t open a case',
  'problem.payment_required': 'It isn’t complete. If you have twelve words, enter them on the case page.',
  'problem.order_redeemed.title': 'This payment has already opened a case',
  'problem.order_redeemed':
    'Each payment opens one case, so nothing was sent from here. Enter the twelve words of that case on the case page.',
  'problem.order_refunded.title': 'This payment was refunded',
  'problem.order_refunded': 'It can no longer open a case, so nothing was sent from here.',
  'problem.payment_held.title': 'We are checking your payment',
  'problem.payment_held':
    'Nothing was sent, and your payment is not lost. One of us has to check it first, for example whether it has already been used. Please don’t pay again: come back in a few hours, or write to us.',
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
  'problem.link_spent.title': 'This link no longer works',
  'problem.link_spent':
    'It was used, is too old, or was replaced by a newer one. If your program asked for its credentials itself, it has them. Otherwise write to us, and we send a new link.',
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
    'The keys that lock your text have changed. Copy what you wrote, load this page again, and send it once more. Nothing was stored. If you have paid, your payment is not spent.',
  'problem.sealing_keys_changing':
    'The keys that lock your text are being changed right now. Try again in a few minutes. Nothing was stored. If you have paid, your payment is not spent.',
  'problem.file_unreadable.title': 'This file can’t be opened',
  'problem.file_unreadable':
    'It is damaged, or it isn’t the file that was listed, so none of it is saved. The rest of your case is not affected.',
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
