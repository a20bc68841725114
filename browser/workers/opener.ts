/** The worker of the case page: the words and the key of the case live here, and everything is opened here. */
import { CaseOpener } from '#browser/case/case-session.ts';
import { serveJobs } from '#browser/rpc/worker-end.ts';
import type { OpenerJobs } from './opener-jobs.ts';
import { selfTestOpening } from './opening-self-test.ts';

const opening = new CaseOpener();

serveJobs<OpenerJobs>(selfTestOpening, {
  open: async ({ words }) => await opening.openCase(words),
  write: async ({ fields }) => await opening.sendMessage(fields),
  keep: async ({ days }) => await opening.updateKeepDays(days),
  withdraw: async () => await opening.withdrawCase(),
  purge: async () => await opening.purgeCase(),
  save: async ({ seq }, progress) => await opening.downloadFile(seq, progress),
});
