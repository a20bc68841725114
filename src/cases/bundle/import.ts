/** Imports what was written to a bundle: once, and only if the case has not changed since the export. */
import { uploadAndDeliverFinding } from '#cases/delivery.ts';
import { addCaseMessage, type SealedMessage } from '#cases/messages.ts';
import { requireCase } from '#cases/states.ts';
import { ServiceError } from '#platform/errors.ts';
import { messageKinds } from '#seal/message.ts';
import { SealError } from '#seal/seal-error.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { listCaseObjects, matchesStoredObject, type StoredObject } from '#store/objects.ts';
import type { Records } from '#store/tables.ts';
import {
  type BundledAction,
  type BundledMessage,
  type BundledObject,
  type CaseBundle,
  isAddedInBundle,
  toBundledId,
  toExportedCase,
} from './bundle.ts';
import type { ReceivedBundle } from './format.ts';
import { findResultKey, isGenuineResult } from './result-key.ts';

export interface BundleImportResult {
  readonly record: Case;
  /** False if everything was imported before. */
  readonly changed: boolean;
}

export async function importBundle(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  bundle: ReceivedBundle,
  undoMs = 0,
): Promise<BundleImportResult> {
  const { clock, store } = services;
  const { records } = store;
  if (bundle.acts.length === 0)
    throw new ServiceError('validation_failed', {
      detail: 'Nothing was written to this bundle, so there is nothing to import.',
    });
  const record = await requireCase(records, bundle.record.id, clock.now());
  if (record.lookup_hash !== bundle.record.lookup_hash) throw createMismatchError();
  await requireGenuineResult(services, bundle);
  const stored = await listCaseObjects(records, record.id);
  const missing = await listMissingActions(records, bundle, stored);
  if (missing.length === 0) return { record, changed: false };
  requireSameObjects(bundle, stored);
  for (const act of missing) await importAction(services, bundle, act, undoMs);
  return { record: await requireCase(records, record.id, clock.now()), changed: true };
}

/** The service cannot check what the case key authenticates, but it knows the result key of its own export. */
async function requireGenuineResult(
  services: Pick<Services, 'keyring' | 'store'>,
  bundle: ReceivedBundle,
): Promise<void> {
  const resultKey = await findResultKey(services, toExportedCase(bundle));
  if (resultKey === null)
    throw new SealError(
      'forged',
      'The key in this bundle is not the one that was exported with the case, so nothing was imported.',
    );
  if (!isGenuineResult(resultKey, bundle))
    throw new SealError(
      'forged',
      'This bundle was not written with a key of the desk, or was changed on its way, so nothing was imported.',
    );
}

/** An interrupted import continues where it stopped. */
async function listMissingActions(
  records: Records,
  bundle: CaseBundle,
  stored: readonly StoredObject[],
): Promise<BundledAction[]> {
  const missing: BundledAction[] = [];
  for (const act of bundle.acts) {
    const object = requireActionObject(bundle, act);
    const earlier = stored.find((other) => toBundledId(other) === object.id);
    if (!earlier) missing.push(act);
    else if (!(await matchesStoredObject(records, earlier.id, await readBundledBytes(object))))
      throw createCaseChangedError();
  }
  return missing;
}

/** The investigator must not overlook an answer that the buyer sent after the export. */
function requireSameObjects(bundle: CaseBundle, stored: readonly StoredObject[]): void {
  const known = new Set(bundle.objects.map(({ id }) => id));
  if (stored.some((object) => !known.has(toBundledId(object)))) throw createCaseChangedError();
  const storedSizes = new Map(stored.map((object) => [toBundledId(object), object.size]));
  const exported = bundle.objects.filter((object) => !isAddedInBundle(bundle, object));
  if (exported.some(({ id, size }) => storedSizes.get(id) !== size)) throw createMismatchError();
}

async function importAction(
  services: Pick<Services, 'clock' | 'store'>,
  bundle: CaseBundle,
  act: BundledAction,
  undoMs: number,
): Promise<void> {
  const { id } = bundle.record;
  const sealed = await readBundledBytes(requireActionObject(bundle, act));
  if (act.act === 'deliver') {
    const files = bundle.objects.filter(({ kind }) => kind === 'finding-file.v1');
    const inOrder = files.toSorted((a, b) => a.seq - b.seq);
    await uploadAndDeliverFinding(services, id, {
      finding: sealed,
      files: inOrder.map(({ content }) => content),
      seq: bundle.record.finding_seq,
      undoMs,
    });
    return;
  }
  await addCaseMessage(services, id, {
    by: 'desk',
    seq: act.seq,
    sealed,
    ...(act.act === 'message' ? {} : { act: act.act }),
    ...toCallAct(act),
  });
}

function toCallAct({
  offers_call: offers,
  books_call: books,
}: BundledMessage): Pick<SealedMessage, 'callAct'> {
  if (books) return { callAct: 'book' };
  return offers ? { callAct: 'offer' } : {};
}

function requireActionObject({ record, objects }: CaseBundle, act: BundledAction): BundledObject {
  const position =
    act.act === 'deliver'
      ? ({ kind: 'finding.v1', seq: record.finding_seq } as const)
      : { kind: messageKinds.desk, seq: act.seq };
  const object = objects.find(({ id }) => id === toBundledId(position));
  if (!object) throw createMismatchError();
  return object;
}

async function readBundledBytes({ content }: BundledObject): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(await content()));
}

function createCaseChangedError(): ServiceError {
  return new ServiceError('case_changed', {
    detail: 'The case has changed since this bundle was exported; export it again and read what is new.',
  });
}

function createMismatchError(): ServiceError {
  return new ServiceError('not_sealed', {
    detail: 'This bundle does not match the case that it names; nothing was stored.',
  });
}
