/** The case page: the words stay in this browser, which opens here what only they can open. */
import { handlePurged, startCasePage } from '#browser/case/case-actions.ts';
import { enhanceForm } from '#browser/ui/async-form.ts';
import { readFormContent } from '#browser/ui/form-values.ts';
import { enableQuickExit } from '#browser/ui/leave-button.ts';
import type { OpenerJobs } from '#browser/workers/opener-jobs.ts';

enableQuickExit();
enhanceForm<OpenerJobs>('form#find', {
  field: 'words',
  send: async (find, opener) =>
    await handlePurged(opener, async () => {
      const words = new Map(readFormContent(find).fields).get('words') ?? '';
      startCasePage(await opener.runJob('open', { words }), opener);
    }),
});
