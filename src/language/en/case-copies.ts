/** The sentences about copies of a case that the buyer keeps: the answer, what was sent, everything. */

export const englishCopies = {
  /** Of files in a folder that others may see. */
  'copy.name': 'notes',
  'copy.answer.save': 'Save the answer',
  'copy.answer.print': 'Print the answer',
  'copy.sent.save': 'Save what you sent',
  'copy.sent.print': 'Print what you sent',
  'copy.saved': 'Saved as {$name}. Anyone who can open this file can read it.',
  'copy.all': 'Save everything',
  'copy.all.text':
    'One file with what you sent, all messages, the answer and all attached files. It is put together in your browser and is not locked: keep it where only you can open it.',
  'copy.all.act': 'Save everything in one file',
  'copy.all.loading': 'Loading and checking: {$percent :integer}%. Keep this page open.',
  'copy.all.partly':
    'Saved as {$name}, but some files could not be opened. They are listed in it, and the rest is complete.',
  'copy.all.failed': 'Nothing was saved. {$reason}',
  'copy.sent': 'what I sent',
  'copy.messages': 'messages',
  'copy.answer': 'answer',
  'copy.sent.files': 'files I sent',
  'copy.answer.files': 'files with the answer',
  'copy.damaged': 'not opened',
  'copy.damaged.text': 'These files were damaged and could not be opened:',
  'copy.plain.answer': 'If you print this page, only the answer is printed.',
  'copy.plain':
    'Saving everything in one file needs JavaScript, which is not running here. Save the files one by one, and copy the text.',
} as const;
