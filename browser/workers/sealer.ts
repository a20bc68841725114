/** The worker of pages that send: all keys and all sealing live here, so that the page stays light and quick. */
import { sendContactMessage } from '#browser/contact/seal-contact.ts';
import { InquirySealer } from '#browser/inquiry/seal-inquiry.ts';
import { serveJobs } from '#browser/rpc/worker-end.ts';
import type { SealerJobs } from './sealer-jobs.ts';
import { selfTestSealing } from './sealing-self-test.ts';
import { deriveEnteredWordKeys } from './word-keys.ts';

const inquiry = new InquirySealer();

serveJobs<SealerJobs>(selfTestSealing, {
  words: async (holders) => await inquiry.generateWordsAndKey(holders),
  check: (form) => inquiry.checkForm(form),
  send: async (form, progress) => await inquiry.sendInquiry(form, progress),
  lookup: async ({ words }) => (await deriveEnteredWordKeys(words)).lookupToken,
  contact: async (form) => await sendContactMessage(form),
});
