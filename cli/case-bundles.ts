/** Commands that export a case for another machine and import what was written there. */
import { recordCaseReading } from '#cases/audited-change.ts';
import { exportBundle } from '#cases/bundle/export.ts';
import { importBundle } from '#cases/bundle/import.ts';
import { readSealedCase, type SealedCase } from '#cases/sealed-case.ts';
import { readSealingKeys } from '#cases/sealing-keys.ts';
import { requireSameSealingSet } from '#cases/sealing-set.ts';
import { requireCase } from '#cases/states.ts';
import { loadConfig } from '#platform/config.ts';
import type { KeyPin } from '#seal/key-pin.ts';
import { saveBundleFile, withBundleFile } from './bundle-file.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import { requireNamedCase } from './case-id.ts';
import { withStoreAndKeyring } from './cli-services.ts';
import { createCommand, createUsageFailure, requireOperand } from './command.ts';
import { getIo } from './io.ts';
import { openPinnedCase, requireGenuineInquiry } from './pinned-case.ts';
import { pinningKeyOptions, readPinningKey } from './pinning-key.ts';
import { readUndoTime, releaseHelp, releaseOptions } from './release-option.ts';
import { requireFreePath } from './saved-file.ts';

const WARNING = 'A bundle survives the purge of its case: delete every copy when the work is done.';

export const exportCaseCommand = createCommand({
  usage: 'cases export ID --out FILE [--key FILE] [--pins FILE]',
  about: `Write a case to a file, sealed as it is. No key is needed.\n${WARNING}`,
  help: [
    ['--out FILE', 'the bundle to write'],
    ['--key FILE', 'your private key, if it is here: checks the key of the case, and sends its pin along'],
    ['--pins FILE', 'the pins of your key'],
  ],
  options: { ...pinningKeyOptions, out: { type: 'string' } },
  operands: 1,
  work: async ({ out, ...keyOptions }, [id]) => {
    requireKeyOfPins(keyOptions);
    const path = requireOperand(out, '--out FILE');
    requireFreePath(path);
    return await withStoreAndKeyring(async (services) => {
      const record = await requireNamedCase(services, id);
      const file = await readSealedCase(services, record);
      const pins = await findPinsToCarry(file, keyOptions);
      const sealingKeys = readSealingKeys(loadConfig(getIo().env));
      await requireSameSealingSet(services.store.records, await sealingKeys);
      const { bundle, resultKey } = await exportBundle({ ...services, sealingKeys }, file, pins);
      // Whoever exports a case may read it elsewhere.
      await recordCaseReading(services, record.id, null, 'export');
      await saveBundleFile(path, bundle, resultKey);
      return {
        text: `Written. ${WARNING}\n`,
        json: { case: toCaseRecordJson(record, services.clock.now()), file: path, pinned: pins.length > 0 },
      };
    });
  },
});

export const importCaseCommand = createCommand({
  usage: 'cases import FILE [--key FILE] [--pins FILE] [--now]',
  about: `Import what was written to a bundle. No key is needed.
A finding is held for DELIVERY_UNDO_MINUTES, as with cases deliver.
Importing a bundle twice changes nothing; a case that has changed since its export is left as it is.`,
  help: [
    ['--key FILE', 'your private key, if it is here: checks the key of the case, and takes over its pin'],
    ['--pins FILE', 'the pins of your key'],
    ...releaseHelp,
  ],
  options: { ...pinningKeyOptions, ...releaseOptions },
  operands: 1,
  work: async ({ now: atOnce = false, ...keyOptions }, [path]) => {
    requireKeyOfPins(keyOptions);
    return await withBundleFile(requireOperand(path, 'FILE'), (bundle) =>
      withStoreAndKeyring(async (services) => {
        if (keyOptions.key !== undefined) {
          const stored = await requireCase(services.store.records, bundle.record.id, services.clock.now());
          const file = await readSealedCase(services, stored);
          const pinned = await openPinnedCase(file, await readPinningKey(keyOptions), bundle.pins);
          requireGenuineInquiry(pinned.opened);
        }
        const { record, changed } = await importBundle(services, bundle, readUndoTime(atOnce));
        const now = services.clock.now();
        const done = changed ? 'Imported.' : 'This was imported before; nothing was changed.';
        const report = buildStepReport(record, now, done);
        return { ...report, json: { case: toCaseRecordJson(record, now), repeated: !changed } };
      }),
    );
  },
});

function requireKeyOfPins({ key, pins }: { key?: string; pins?: string }): void {
  if (pins !== undefined && key === undefined)
    throw createUsageFailure('--pins FILE needs --key FILE: without your key, pins say nothing');
}

async function findPinsToCarry(
  file: SealedCase,
  keyOptions: { key?: string; pins?: string },
): Promise<readonly KeyPin[]> {
  if (keyOptions.key === undefined) return [];
  const { opened, pin } = await openPinnedCase(file, await readPinningKey(keyOptions));
  requireGenuineInquiry(opened);
  return [pin];
}
