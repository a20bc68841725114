/** Where a case is worked on: in the database, in a bundle on another machine, or at an office over the network. */
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
import type { SealedMessage } from '#cases/messages.ts';
import type { SealedCase } from '#cases/sealed-case.ts';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { systemClock } from '#platform/clock.ts';
import type { CaseMessage, DeskMessageAct } from '#seal/message.ts';
import { SealError } from '#seal/seal-error.ts';
import { sealDeskMessage } from '#seal/sealed-message.ts';
import type { Case } from '#store/cases.ts';
import { saveBundleFile, withBundleFile } from './bundle-file.ts';
import { buildStepReport, toCaseRecordJson } from './case-facts.ts';
import type { CaseSource } from './case-source.ts';
import { withCaseSource } from './chosen-source.ts';
import { type CommandReport, createUsageFailure, requireOperand } from './command.ts';
import type { HolderNames } from './holder-name.ts';
import { openPinnedCase, type PinnedCase, requireGenuineInquiry } from './pinned-case.ts';
import type { DeskAccess } from './pinning-key.ts';
import { requireFreePath } from './saved-file.ts';
import { countLostMessages, requireNothingLost } from './seen-option.ts';

export interface CaseWorkspace extends PinnedCase {
  readonly file: SealedCase;
  readonly names: HolderNames;
  /** How many messages of the buyer this key has seen that are not there any more. */
  readonly lost: number;
  readonly now: () => number;
  /** Whether the buyer can read a finding; in a bundle nobody knows, since an import may hold it first. */
  readonly isReleased: boolean;
  /** Throws unless the inquiry opens under the same key, and nothing is lost; so does what writes. */
  readonly requireWritable: () => void;
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
  if (bundle === undefined)
    return await withSourceWorkspace(id, desk, async ({ workspace }) => await work(workspace));
  if (id !== undefined) throw createUsageFailure('Give either ID or --bundle');
  return await withBundleFile(bundle, async (source) => {
    // First, so that the key in a bundle that was changed is never pinned.
    const resultKey = await requireResultKey(source, desk);
    const pinned = await openPinnedCase(toSealedCase(source), desk, source.pins);
    return await work(createBundleWorkspace(source, pinned, { resultKey, out }));
  });
}

interface SourceWorkspace {
  readonly source: CaseSource;
  readonly workspace: CaseWorkspace;
}

/** For work that no bundle can have. */
export async function withSourceWorkspace<Result>(
  id: string | undefined,
  desk: DeskAccess,
  work: (found: SourceWorkspace) => Promise<Result>,
): Promise<Result> {
  return await withCaseSource(desk, async (source) => {
    const record = await source.requireCase(id);
    return await work({ source, workspace: await openSourceWorkspace(source, record, desk) });
  });
}

export async function openSourceWorkspace(
  source: CaseSource,
  record: Case,
  desk: DeskAccess,
): Promise<CaseWorkspace> {
  const { id } = record;
  const file = await source.readCase(record);
  const pinned = await openPinnedCase(file, desk);
  // Beside the database nobody stands between the records and the command.
  const lost = source.isOffice ? await countLostMessages(desk, pinned.opened) : 0;
  const requireWritable = () => {
    requireGenuineInquiry(pinned.opened);
    requireNothingLost(lost, desk);
  };
  return {
    ...pinned,
    file,
    lost,
    isReleased: (record.delivered_at ?? Infinity) <= source.now(),
    names: source.names,
    now: source.now,
    report: (changed, done) => buildStepReport(changed, source.now(), done),
    requireWritable,
    write: async (message) => {
      requireWritable();
      return await source.write(id, message);
    },
    deliver: async (finding, files, atOnce) => {
      requireWritable();
      return await source.deliver(file.record, { finding, files, atOnce });
    },
  };
}

/** Sealed with what it means, as the next message of the desk. */
export async function sealReply(
  { opened, isReleased }: Pick<CaseWorkspace, 'opened' | 'isReleased'>,
  meaning: {
    readonly message: CaseMessage;
    readonly act: DeskMessageAct;
    readonly keepDays?: number;
    readonly seen: number;
  },
): Promise<Pick<SealedMessage, 'by' | 'seq' | 'sealed'>> {
  const { key, record } = opened;
  const { seq, sealed } = await sealDeskMessage(key, opened, {
    ...meaning,
    findingSeq: record.finding_seq,
    isReleased,
  });
  return { by: 'desk', seq, sealed };
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
    // A bundle may be older than what was seen elsewhere; an import shows whether that matters.
    lost: 0,
    isReleased: false,
    names: new Map(),
    now: readClock,
    requireWritable: () => requireGenuineInquiry(pinned.opened),
    report: (record) => ({
      text: `Written to ${out}. The case itself changes only when you run cases import.\n`,
      json: { case: toCaseRecordJson(record, readClock()), bundle: out },
    }),
    write: (message) => saveResult(addMessageToBundle(bundle, message, readClock())),
    deliver: (finding, files) => saveResult(addDeliveryToBundle(bundle, finding, files, readClock())),
  };
}
