/** The worker of pages that send: holds the keys and does all sealing, so that the page stays small and responsive. */
import { sendContactMessage } from '#browser/contact/seal-contact.ts';
import { inspectFiles } from '#browser/files/inspect-files.ts';
import { InquirySealer } from '#browser/inquiry/seal-inquiry.ts';
import { serveJobs } from '#browser/rpc/worker-end.ts';
import type { SealerJobs } from './sealer-jobs.ts';
import { selfTestSealing } from './sealing-self-test.ts';
import { deriveEnteredWordLookup } from './word-keys.ts';

const sealer = new InquirySealer();

serveJobs<SealerJobs>(selfTestSealing, {
  words: async (holders) => await sealer.generateWordsAndKey(holders),
  inspect: async (files) => await inspectFiles(files),
  check: (form) => sealer.checkForm(form),
  send: async (form, progress) => await sealer.sendInquiry(form, progress),
  lookup: ({ words }) => deriveEnteredWordLookup(words).lookupToken,
  contact: async (form) => await sendContactMessage(form),
});
