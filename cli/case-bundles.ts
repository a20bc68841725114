/** Takes a case to another machine and brings back what was written there. */
import { bundleOf } from '#cases/bundle/bundle.ts';
import { importBundle } from '#cases/bundle/import.ts';
import { saveBundle, withBundle } from './bundle-file.ts';
import { caseJson, stepReport } from './case-facts.ts';
import { atCase } from './case-workspace.ts';
import { command, demanded } from './command.ts';
import { inOffice } from './office.ts';
import { demandFree } from './saved-file.ts';

const WARNING =
  'A bundle outlives a purge of its case: whoever made a copy deletes it when the work is done.';

export const exportCase = command({
  usage: 'cases export ID --out FILE',
  about: `Write a case to a file as it lies, sealed. No key is needed.\n${WARNING}`,
  help: [['--out FILE', 'the bundle to write']],
  options: { out: { type: 'string' } },
  operands: 1,
  work: async ({ out }, [id]) => {
    const path = demanded(out, '--out FILE');
    demandFree(path);
    return await atCase({ id, bundle: undefined }, async ({ file, now }) => {
      await saveBundle(path, bundleOf(file));
      return { text: `Written. ${WARNING}\n`, json: { case: caseJson(file.record, now()), file: path } };
    });
  },
});

export const importCase = command({
  usage: 'cases import FILE',
  about: `Bring back what was written into a bundle. No key is needed.
Importing twice is importing once; a case that has moved on since its export is left as it is.`,
  options: {},
  operands: 1,
  work: async (_values, [path]) =>
    await withBundle(demanded(path, 'FILE'), (bundle) =>
      inOffice(async (office) => {
        const { record, changed } = await importBundle(office, bundle);
        const now = office.clock.now();
        const done = changed ? 'Brought back.' : 'It was brought back before; nothing was changed.';
        const report = stepReport(record, now, done);
        return { ...report, json: { case: caseJson(record, now), repeated: !changed } };
      }),
    ),
});
