/** The case page: the words stay in this browser, which opens here what only they can open. */
import { offerCase, unlessGone } from '#browser/case/case-actions.ts';
import { takeOver } from '#browser/ui/async-form.ts';
import { contentOf } from '#browser/ui/form-values.ts';
import { offerLeaving } from '#browser/ui/leave-button.ts';
import type { OpenerJobs } from '#browser/workers/opener-jobs.ts';

offerLeaving();
takeOver<OpenerJobs>('form#find', {
  field: 'words',
  send: async (find, opener) =>
    await unlessGone(opener, async () => {
      const words = new Map(contentOf(find).fields).get('words') ?? '';
      offerCase(await opener.ask('open', { words }), opener);
    }),
});
