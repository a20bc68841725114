/** Where a case is worked on: in the database, in a bundle on another machine, or at an office over the network. */
import { recordCaseReading } from '#cases/audited-change.ts';
import {
  addDeliveryToBundle,
  addMessageToBundle,
  type CaseBundle,
  type SealedContent,
  toExportedCase,
  toSealedCase,
} from '#cases/bundle/bundle.ts';
import type { ReceivedBundle } from '#cases/bundle/format.ts';
import { isGenuineResult, openResultKey } from '#cases/bundle/result-key.ts';
import { uploadAndDeliverFinding } from '#cases/delivery.ts';
import { addCaseMessage, type SealedMessage } from '#cases/messages.ts';
import { readSealedCase, type SealedCase } from '#cases/sealed-case.ts';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { systemClock } from '#platform/clock.ts';
import { SealError } from '#seal/seal-error.ts';
import type { Case } from '#store/cases.ts';
import { saveBundleFile, withBundleFile } from './bundle-file.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import { requireNamedCase } from './case-id.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { type CommandReport, createUsageFailure, requireOperand } from './command.ts';
import { deriveInvestigator, withHolderNamed } from './investigator.ts';
import type { OfficeCase } from './office-case.ts';
import { openPinnedCase, type PinnedCase, requireGenuineInquiry } from './pinned-case.ts';
import type { DeskAccess } from './pinning-key.ts';
import { readUndoTime } from './release-option.ts';
import { requireFreePath } from './saved-file.ts';

export interface CaseWorkspace extends PinnedCase {
  readonly file: SealedCase;
  readonly now: () => number;
  /** Writing and delivering are refused unless the inquiry opens under the same key. */
  readonly write: (message: SealedMessage) => Promise<Case>;
  readonly deliver: (finding: Uint8Array, files: readonly SealedContent[], atOnce: boolean) => Promise<Case>;
  /** Reports a change; one in a bundle has not reached the buyer yet. */
  readonly report: (record: Case, done: string) => CommandReport;
}

interface CaseLocation {
  readonly id: string | undefined;
  readonly bundle: string | undefined;
  /** Path of the resulting bundle; undefined if the command writes none. */
  readonly out?: string | undefined;
}

export const bundleOption = { bundle: { type: 'string' } } as const;
export const bundleHelp = [
  '--bundle FILE',
  'an exported case instead of ID; needs no database and no configuration',
] as const;
export const resultBundleHelp = [
  bundleHelp,
  ['--out FILE', 'the new bundle with the result, for cases import'],
] as const;

export async function withCaseWorkspace<Result>(
  { id, bundle, out }: CaseLocation,
  desk: DeskAccess,
  work: (workspace: CaseWorkspace) => Promise<Result>,
): Promise<Result> {
  if (desk.office && bundle !== undefined) throw createUsageFailure('Give either --office or --bundle');
  if (desk.office) {
    // Beside a database nobody waits for what only the network needs.
    const { withOfficeCase } = await import('./office-case.ts');
    return await withOfficeCase(desk.office, requireOperand(id, 'ID'), desk, async (officeCase) =>
      work(createOfficeWorkspace(officeCase, await openPinnedCase(officeCase.file, desk))),
    );
  }
  if (bundle === undefined)
    return await withStoredCase(id, desk, async ({ services, file, ...pinned }) => {
      const investigator = await deriveInvestigator(desk.identity);
      return await work(createStoreWorkspace(services, file, pinned, investigator));
    });
  if (id !== undefined) throw createUsageFailure('Give either ID or --bundle');
  return await withBundleFile(bundle, async (source) => {
    // First, so that the key in a bundle that was changed is never pinned.
    const resultKey = await requireResultKey(source, desk);
    const pinned = await openPinnedCase(toSealedCase(source), desk, source.pins);
    return await work(createBundleWorkspace(source, pinned, { resultKey, out }));
  });
}

interface StoredCase extends PinnedCase {
  readonly services: CliServices;
  readonly file: SealedCase;
}

/** For work that only the database has. */
export async function withStoredCase<Result>(
  id: string | undefined,
  desk: PinFile,
  work: (stored: StoredCase) => Promise<Result>,
): Promise<Result> {
  return await withStore(async (services) => {
    const record = await requireNamedCase(services, id);
    await recordCaseReading(services, record.id, await deriveInvestigator(desk.identity));
    const file = await readSealedCase(services, record);
    return await work({ services, file, ...(await openPinnedCase(file, desk)) });
  });
}

/** For commands that write: a result never overwrites the bundle it came from. */
export function parseResultOptions({
  bundle,
  out,
}: {
  bundle?: string;
  out?: string;
}): Pick<CaseLocation, 'bundle' | 'out'> {
  if ((bundle === undefined) !== (out === undefined))
    throw createUsageFailure(
      '--bundle FILE and --out FILE belong together: the second is the bundle with the result',
    );
  if (out !== undefined) requireFreePath(out);
  return { bundle, out };
}

function createStoreWorkspace(
  services: CliServices,
  file: SealedCase,
  pinned: PinnedCase,
  investigator: string,
): CaseWorkspace {
  const { id } = file.record;
  return {
    ...pinned,
    file,
    now: () => services.clock.now(),
    report: (record, done) => buildStepReport(record, services.clock.now(), done),
    write: async (message) => {
      requireGenuineInquiry(pinned.opened);
      return await withHolderNamed(services, id, () =>
        addCaseMessage(services, id, { ...message, investigator }),
      );
    },
    deliver: async (finding, files, atOnce) => {
      requireGenuineInquiry(pinned.opened);
      const contents = files.map(({ content }) => content);
      const { finding_seq: seq } = file.record;
      const sealed = { finding, files: contents, seq, undoMs: readUndoTime(atOnce), investigator };
      return await withHolderNamed(services, id, () => uploadAndDeliverFinding(services, id, sealed));
    },
  };
}

function createOfficeWorkspace({ file, now, write, deliver }: OfficeCase, pinned: PinnedCase): CaseWorkspace {
  return {
    ...pinned,
    file,
    now: () => now,
    report: (record, done) => buildStepReport(record, now, done),
    write: async (message) => {
      requireGenuineInquiry(pinned.opened);
      return await write(message);
    },
    deliver: async (finding, files, atOnce) => {
      requireGenuineInquiry(pinned.opened);
      return await deliver(finding, files, atOnce);
    },
  };
}

/** Whoever carries a bundle could put in a result key of their own, but not change it with the key left as it was. */
async function requireResultKey(source: ReceivedBundle, { identity }: PinFile): Promise<string> {
  const resultKey = await openResultKey(source.sealedResultKey, identity, toExportedCase(source));
  if (isGenuineResult(resultKey, source)) return resultKey;
  throw new SealError('forged', 'This bundle was changed on its way, so it was not used. Export it again.');
}

function createBundleWorkspace(
  bundle: CaseBundle,
  pinned: PinnedCase,
  { resultKey, out }: { readonly resultKey: string; readonly out: string | undefined },
): CaseWorkspace {
  const pins = [...bundle.pins.filter(({ desk }) => desk !== pinned.pin.desk), pinned.pin];
  const saveResult = async (result: CaseBundle): Promise<Case> => {
    requireGenuineInquiry(pinned.opened);
    await saveBundleFile(requireOperand(out, '--out FILE'), { ...result, pins }, resultKey);
    return result.record;
  };
  const readClock = () => systemClock.now();
  return {
    ...pinned,
    file: toSealedCase(bundle),
    now: readClock,
    report: (record) => ({
      text: `Written to ${out}. The case itself changes only when you run cases import.\n`,
      json: { case: toCaseRecordJson(record, readClock()), bundle: out },
    }),
    write: (message) => saveResult(addMessageToBundle(bundle, message, readClock())),
    deliver: (finding, files) => saveResult(addDeliveryToBundle(bundle, finding, files, readClock())),
  };
}
