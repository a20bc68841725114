/** The worker of pages that send: all keys and all sealing live here, so that the page stays light and quick. */
import { sendContactMessage } from './contact-sealing.ts';
import { InquirySealing } from './inquiry-sealing.ts';
import type { SealerJobs } from './sealer-jobs.ts';
import { rehearse } from './sealing-rehearsal.ts';
import { keysOf } from './word-keys.ts';
import { workFor } from './worker.ts';

const inquiry = new InquirySealing();

workFor<SealerJobs>(rehearse, {
  words: async (holders) => await inquiry.makeWords(holders),
  check: (form) => inquiry.check(form),
  send: async (form, progress) => await inquiry.send(form, progress),
  lookup: async ({ words }) => (await keysOf(words)).lookupToken,
  contact: async (form) => await sendContactMessage(form),
});
