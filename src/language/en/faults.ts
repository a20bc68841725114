/** The English of what is wrong with a field, with the words, or with something that should have opened. */
export const englishFaults = {
  'fault.not_text': 'Write this as text',
  'fault.broken': 'Some characters are broken. Write them again.',
  'fault.too_long': 'Write at most {$max :integer} characters; you have {$length :integer}',
  'fault.not_boolean': 'Answer true or false',
  'fault.not_list': 'Give this as a list',
  'fault.not_record': 'Give this as an object with fields',
  'fault.unknown': 'This field is not known',
  'fault.in_entry': 'Entry {$number :integer}: {$fault}',
  'fault.in_file': 'File {$number :integer}: {$fault}',
  'fault.payment_ref.missing': 'The payment is missing. Come back to this page from the payment page.',
  'fault.payment_ref.refused': 'This is not a payment of ours',
  'fault.alias.missing': 'Write a name we can call you by. It doesn’t have to be your real name.',
  'fault.question.missing': 'Write at least {$min :integer} characters, so that we understand the question',
  'fault.subject.missing': 'Write who or what your question is about',
  'fault.identifiers.missing': 'Write a name, number or address, or remove the line',
  'fault.identifiers.too_many': 'Give at most {$max :integer} of them',
  'fault.jurisdiction.missing': 'Choose the country you are in',
  'fault.jurisdiction.refused': 'Choose a country by its two capital letters, such as FR',
  'fault.safety_risk.missing': 'Say whether anyone is in danger',
  'fault.subject_is_protected.missing':
    'Say whether it is about a minor, a partner, or someone protected by a court order',
  'fault.contact_mode.missing': 'Choose how we can reach you',
  'fault.contact_value.unused': 'Choose how we can use this, or leave it empty and come back with your words',
  'fault.contact_value.missing': 'Write where we can reach you, or choose to come back with your words',
  'fault.contact_value.email': 'Write an email address, like name@example.com',
  'fault.call_number.missing': 'Write the number we should call',
  'fault.call_number.refused': 'Write a phone number in digits, like +44 20 7946 0000',
  'fault.call_number.none': 'Only Dossier includes a call. Leave the number out.',
  'fault.call.refused': 'Only an investigator can book the call',
  'fault.call_windows.missing': 'Choose at least one time',
  'fault.call_windows.none': 'Only Dossier includes a call. Leave the times out.',
  'fault.call_windows.too_many': 'Give at most {$max :integer} times for the call',
  'fault.call_windows_start.missing': 'Say when the call may begin',
  'fault.call_windows_start.refused': 'Write the date and time like 2026-12-31T14:30',
  'fault.call_windows_start.past': 'Choose a time that is still to come',
  'fault.call_windows_start.far': 'Choose a time within a year from now',
  'fault.call_windows_end.missing': 'Say when the call must end',
  'fault.call_windows_end.refused': 'Write the date and time like 2026-12-31T14:30',
  'fault.call_windows_end.order': 'The call must end after it begins',
  'fault.call_windows_zone.missing': 'Write your time zone',
  'fault.call_windows_zone.refused': 'Write a time zone we know, such as Paris (Europe/Paris)',
  'fault.lawful_purpose.missing': 'Confirm that your purpose is lawful. Without that we can’t begin.',
  'fault.files.too_many': 'Attach at most {$max :integer} files',
  'fault.files.too_large': 'Together, your files can be at most {$max :integer} MB',
  'fault.files.larger': '“{$name}” is larger than {$max :integer} MB. Leave it out or make it smaller.',
  'fault.files.named': '“{$name}”: {$fault}',
  'fault.files.name_long': 'shorten its name to at most {$max :integer} characters',
  'fault.files.not_kept': 'Choose your files again: your browser does not keep them',
  'fault.files_name.missing': 'Give the file a name',
  'fault.files_name.refused': 'Give the file a name without slashes',
  'fault.files_mime.refused': 'We don’t know this type of file. Leave it out.',
  'fault.files_size.refused': 'This file is larger than {$max :integer} MB. Leave it out or make it smaller.',
  'fault.topic.missing': 'Choose what this is about',
  'fault.message.missing': 'Write at least {$min :integer} characters, so that we can answer',
  'fault.text.missing': 'Write something',
  'fault.markdown.missing': 'Write the finding, or attach it as a file',
  'fault.asked_word.missing': 'Type word {$position :integer} from your own copy of the words',
  'fault.asked_word.wrong':
    'This isn’t word {$position :integer}. Check your copy, counting from the first word.',
  'fault.words.damaged':
    'The words were damaged on their way. Write down these new ones; the earlier ones open nothing.',

  'problem.words_count':
    '.input {$count :integer} .match $count 0 {{Enter the twelve words of your case.}} one {{You entered {$count} word; there are twelve. Enter all of them, in their order.}} * {{You entered {$count} words; there are twelve. Enter all of them, in their order.}}',
  'problem.words_long': 'These are more than twelve words. Enter the twelve of your case.',
  'problem.words_checksum':
    'Each of these is one of our words, but they don’t belong together. Check their order, and words that look alike.',
  'words.unknown': 'Check word {$position :integer}: it isn’t one of our words.',
  'words.unknown.near': 'Check word {$position :integer}: it isn’t one of our words. Did you mean {$near}?',
  'words.near': '“{$word}”',
  'words.near.or': '{$first} or {$second}',
  'words.unknown.more': 'And {$count :integer} more: check the spelling of each word.',
  'problem.wrong_key': 'Your words don’t open this part. Check that they belong to this case.',
  'problem.tampered':
    'It was damaged, or changed after it was sent, so none of it is shown. Try to load it again.',
  'problem.truncated': 'It did not arrive completely, so none of it is shown. Try to load it again.',
  'problem.forged': 'It was not written by anyone who holds the key of this case, so it is not shown.',
  'problem.swapped': 'It belongs to another place or another case, so it is not shown here.',
  'problem.unknown_form': 'Not in the form that this service writes, so it is not shown ({$size}).',
  'problem.left_out':
    'Not shown here: your case has more text than fits on this page. With JavaScript turned on, your browser shows all of it.',
  'problem.too_large': 'It is too large to be locked. Nothing was sent.',
  'problem.recipient_refused':
    'A key to lock it with is missing or wrong. Nothing was sent. Load the page again.',
  'problem.image_damaged':
    'The hidden data of this picture can’t be removed, because the file is damaged. Leave it out, or choose above to keep location and camera details.',
  'problem.file_gone': 'The file was changed or moved. Choose the files again.',

  'meant.ask': 'This message asks for an answer.',
  'meant.decline': 'With this message the case is declined, which ends it.',
  'meant.retain': 'With this message the case is kept for {$days :integer} days after the answer.',
  'differs.declined':
    'Don’t rely on what this page says about the case: it is shown as not accepted, but no message from the investigator says so. Ask in some other way.',
  'differs.not_declined':
    'Don’t rely on what this page says about the case: the investigator’s last message says that it was not accepted, but it is shown as if it went on. Ask in some other way.',
  'differs.asked':
    'Don’t rely on what this page says about the case: it is shown as waiting for an answer, but no message from the investigator asks for one.',
  'differs.kept':
    'The investigator’s message says that this case is kept for {$set :integer} days after the answer, but it is shown with {$told :integer}. That is right only if other days were chosen here since.',
  'differs.taken_back':
    'Don’t rely on the answer below: a message from the investigator says that it was taken back. Ask for the one that counts.',
  'differs.finding_missing':
    'A message from the investigator says that there is an answer, but it isn’t here. Ask for it in some other way.',
  'thread.crossed': 'Written before the other side’s message above was read.',
  'thread.unlinked': 'Sent without a record of which messages were read before it.',
  'thread.after_gap': 'Can’t be checked, because a message above is missing.',
  'thread.altered':
    'Do not rely on this: whoever wrote it saw different messages above it from the ones you see.',
  'thread.missing':
    '.input {$count :integer} .match $count 1 {{Message {$first :integer} is missing. A later message refers to it: ask for it, or send it again.}} * {{Messages {$first :integer} to {$last :integer} are missing. A later message refers to them: ask for them, or send them again.}}',
} as const;
