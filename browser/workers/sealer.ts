/** The worker of pages that send: all keys and all sealing live here, so that the page stays light and quick. */
import { sendContactMessage } from '#browser/contact/seal-contact.ts';
import { InquirySealing } from '#browser/inquiry/seal-inquiry.ts';
import { workFor } from '#browser/rpc/worker-end.ts';
import type { SealerJobs } from './sealer-jobs.ts';
import { rehearse } from './sealing-self-test.ts';
import { keysOf } from './word-keys.ts';

const inquiry = new InquirySealing();

workFor<SealerJobs>(rehearse, {
  words: async (holders) => await inquiry.makeWords(holders),
  check: (form) => inquiry.check(form),
  send: async (form, progress) => await inquiry.send(form, progress),
  lookup: async ({ words }) => (await keysOf(words)).lookupToken,
  contact: async (form) => await sendContactMessage(form),
});
