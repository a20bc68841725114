/** The English of the page that leads back to a case. */
export const englishFindCase = {
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
} as const;
