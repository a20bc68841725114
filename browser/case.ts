/** The case page: the words stay in this browser, which opens here what only they can open. */
import { offerCase, unlessGone } from './case-acts.ts';
import { contentOf } from './form.ts';
import { offerLeaving } from './leaving.ts';
import { takeOver } from './sealed-form.ts';
import { offerPrinting } from './shown-page.ts';

offerLeaving();
offerPrinting();
takeOver('form#find', {
  field: 'words',
  send: async (find, sealing) =>
    await unlessGone(sealing, async () => {
      const words = new Map(contentOf(find).fields).get('words') ?? '';
      offerCase(await sealing.ask('open', { words }), sealing);
    }),
});
