/** Brings back what was written into a bundle: once, and only if the case is still as the bundle knew it. */
import { uploadAndDeliverFinding } from '#cases/delivery.ts';
import { addCaseMessage } from '#cases/messages.ts';
import { requireCase } from '#cases/states.ts';
import { ServiceError } from '#platform/errors.ts';
import { messageKinds } from '#seal/message.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { listCaseObjects, matchesStoredObject, type StoredObject } from '#store/objects.ts';
import type { Records } from '#store/tables.ts';
import {
  type BundledAction,
  type BundledObject,
  type CaseBundle,
  isAddedInBundle,
  toBundledId,
} from './bundle.ts';

export interface BundleImportResult {
  readonly record: Case;
  /** False if all of it had been brought back before. */
  readonly changed: boolean;
}

export async function importBundle(
  services: Pick<Services, 'clock' | 'store'>,
  bundle: CaseBundle,
): Promise<BundleImportResult> {
  const { records } = services.store;
  if (bundle.acts.length === 0)
    throw new ServiceError('validation_failed', {
      detail: 'Nothing was written to this bundle, so there is nothing to import.',
    });
  const found = await requireCase(records, bundle.record.id);
  if (found.lookup_hash !== bundle.record.lookup_hash) throw createMismatchError();
  const kept = await listCaseObjects(records, found.id);
  const missing = await listMissingActions(records, bundle, kept);
  if (missing.length === 0) return { record: found, changed: false };
  requireSameObjects(bundle, kept);
  for (const act of missing) await importAction(services, bundle, act);
  return { record: await requireCase(records, found.id), changed: true };
}

/** An import that was broken off goes on where it stopped. */
async function listMissingActions(
  records: Records,
  bundle: CaseBundle,
  kept: readonly StoredObject[],
): Promise<BundledAction[]> {
  const missing: BundledAction[] = [];
  for (const act of bundle.acts) {
    const object = requireActionObject(bundle, act);
    const before = kept.find((each) => toBundledId(each) === object.id);
    if (!before) missing.push(act);
    else if (!(await matchesStoredObject(records, before.id, await readBundledBytes(object))))
      throw createCaseChangedError();
  }
  return missing;
}

/** A buyer's answer that the investigator has not read must not be passed over. */
function requireSameObjects(bundle: CaseBundle, kept: readonly StoredObject[]): void {
  const known = new Set(bundle.objects.map(({ id }) => id));
  if (kept.some((object) => !known.has(toBundledId(object)))) throw createCaseChangedError();
  const stored = new Map(kept.map((object) => [toBundledId(object), object.size]));
  const seen = bundle.objects.filter((object) => !isAddedInBundle(bundle, object));
  if (seen.some(({ id, size }) => stored.get(id) !== size)) throw createMismatchError();
}

async function importAction(
  services: Pick<Services, 'clock' | 'store'>,
  bundle: CaseBundle,
  act: BundledAction,
): Promise<void> {
  const { id } = bundle.record;
  const sealed = await readBundledBytes(requireActionObject(bundle, act));
  if (act.act === 'deliver') {
    const files = bundle.objects.filter(({ kind }) => kind === 'finding-file.v1');
    const inOrder = files.toSorted((a, b) => a.seq - b.seq);
    await uploadAndDeliverFinding(
      services,
      id,
      sealed,
      inOrder.map(({ content }) => content),
    );
    return;
  }
  await addCaseMessage(services, id, {
    by: 'desk',
    seq: act.seq,
    sealed,
    ...(act.act === 'message' ? {} : { act: act.act }),
    ...(act.offers_call ? { callAct: 'offer' } : {}),
  });
}

function requireActionObject({ objects }: CaseBundle, act: BundledAction): BundledObject {
  const place =
    act.act === 'deliver'
      ? ({ kind: 'finding.v1', seq: 0 } as const)
      : { kind: messageKinds.desk, seq: act.seq };
  const found = objects.find(({ id }) => id === toBundledId(place));
  if (!found) throw createMismatchError();
  return found;
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
