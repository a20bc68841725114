/** The worker of the case page: the words and the key of the case live here, and everything is opened here. */
import { CaseOpening } from '#browser/case/case-session.ts';
import { workFor } from '#browser/rpc/worker-end.ts';
import type { OpenerJobs } from './opener-jobs.ts';
import { rehearse } from './opening-self-test.ts';

const opening = new CaseOpening();

workFor<OpenerJobs>(rehearse, {
  open: async ({ words }) => await opening.open(words),
  write: async ({ fields }) => await opening.write(fields),
  keep: async ({ days }) => await opening.keep(days),
  withdraw: async () => await opening.withdraw(),
  purge: async () => await opening.purge(),
  save: async ({ seq }, progress) => await opening.save(seq, progress),
});
