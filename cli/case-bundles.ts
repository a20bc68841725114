/** Commands that export a case for another machine and import what was written there. */
import { toBundle } from '#cases/bundle/bundle.ts';
import { importBundle } from '#cases/bundle/import.ts';
import { readSealedCase } from '#cases/sealed-case.ts';
import { requireCase } from '#cases/states.ts';
import { saveBundleFile, withBundleFile } from './bundle-file.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import { withStore } from './cli-services.ts';
import { createCommand, requireOperand } from './command.ts';
import { requireFreePath } from './saved-file.ts';

const WARNING = 'A bundle survives the purge of its case: delete every copy when the work is done.';

export const exportCaseCommand = createCommand({
  usage: 'cases export ID --out FILE',
  about: `Write a case to a file, sealed as it is. No key is needed.\n${WARNING}`,
  help: [['--out FILE', 'the bundle to write']],
  options: { out: { type: 'string' } },
  operands: 1,
  work: async ({ out }, [id]) => {
    const path = requireOperand(out, '--out FILE');
    requireFreePath(path);
    return await withStore(async (services) => {
      const record = await requireCase(services.store.records, requireOperand(id, 'ID'));
      await saveBundleFile(path, toBundle(await readSealedCase(services, record)));
      return {
        text: `Written. ${WARNING}\n`,
        json: { case: toCaseRecordJson(record, services.clock.now()), file: path },
      };
    });
  },
});

export const importCaseCommand = createCommand({
  usage: 'cases import FILE',
  about: `Import what was written to a bundle. No key is needed.
Importing a bundle twice changes nothing; a case that has changed since its export is left as it is.`,
  options: {},
  operands: 1,
  work: async (_values, [path]) =>
    await withBundleFile(requireOperand(path, 'FILE'), (bundle) =>
      withStore(async (services) => {
        const { record, changed } = await importBundle(services, bundle);
        const now = services.clock.now();
        const done = changed ? 'Imported.' : 'This was imported before; nothing was changed.';
        const report = buildStepReport(record, now, done);
        return { ...report, json: { case: toCaseRecordJson(record, now), repeated: !changed } };
      }),
    ),
});
