/** The case page: the words stay in this browser, which opens here what only they can open. */
import { offerCase, unlessGone } from './case-acts.ts';
import { contentOf } from './form.ts';
import { offerLeaving } from './leaving.ts';
import type { OpenerJobs } from './opener-jobs.ts';
import { takeOver } from './sealed-form.ts';

offerLeaving();
takeOver<OpenerJobs>('form#find', {
  field: 'words',
  send: async (find, opener) =>
    await unlessGone(opener, async () => {
      const words = new Map(contentOf(find).fields).get('words') ?? '';
      offerCase(await opener.ask('open', { words }), opener);
    }),
});
