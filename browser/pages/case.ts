/** The case page: the words stay in this browser, which opens the case with them. */
import { handlePurged, startCasePage } from '#browser/case/case-actions.ts';
import { enhanceForm } from '#browser/ui/async-form.ts';
import { countTypedCharacters } from '#browser/ui/character-count.ts';
import { readFormValue } from '#browser/ui/form-values.ts';
import { fillTimeZone } from '#browser/ui/time-zone.ts';
import type { OpenerJobs } from '#browser/workers/opener-jobs.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

countTypedCharacters();
fillTimeZone();
enhanceForm<OpenerJobs>('find', {
  field: WORDS_FIELD,
  send: async (find, opener) =>
    await handlePurged(opener, async () =>
      startCasePage(await opener.runJob('open', { words: readFormValue(find, WORDS_FIELD) }), opener),
    ),
});
