/** The English of files: the list of chosen ones, what becomes of hidden data, and the wait for a connection. */
export const englishFiles = {
  'files.chosen': 'Your files',
  'files.looking': 'Looking at your files…',
  'files.count':
    '.input {$count :integer} .match $count one {{{$count} file chosen.}} * {{{$count} files chosen.}}',
  'files.remove': 'Remove',
  'files.remove_file': 'Remove {$file}',
  'files.removed': 'Removed: {$file}',
  'files.cleaned': 'We take location and camera details out before it is sent.',
  'files.converted': 'Sent as a JPEG picture, without location and camera details.',
  'files.kept': 'Location and camera details stay in it, as you asked.',
  'files.unclean':
    'This file may show where, when and with what device it was made. We can’t take that out. Remove it if that isn’t safe for you.',
  'files.unclean_kinds':
    'We can clean JPEG, PNG and WebP pictures. Anything else, such as HEIC photos, PDFs and videos, is sent as it is, with whatever it reveals about you.',
  'files.empty': '“{$file}” was left out: it is empty.',
  'files.too_large': '“{$file}” was left out: a file can be {$limit :integer} MB at most.',
  'files.too_many': '“{$file}” was left out: you can send {$limit :integer} files at most.',
  'files.too_much': '“{$file}” was left out: all files together can be {$limit :integer} MB at most.',
  'files.waiting': 'Waiting for the connection. We’ll carry on from where we stopped. Keep this page open.',
  'case.write.no_files':
    'To send files as well, open your case in a browser with JavaScript turned on: it locks them before they are sent.',
  'problem.file_empty': 'This file is empty. Leave it out.',
} as const;
