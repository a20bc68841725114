/** Brings back what was written into a bundle: once, and only if the case is still as the bundle knew it. */
import { messageKinds } from '#cases/decrypted-case.ts';
import { deliverWhole } from '#cases/delivery.ts';
import { addMessage, isSameObject } from '#cases/messages.ts';
import { demandCase } from '#cases/states.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { objectsOf, type StoredObject } from '#store/objects.ts';
import type { Records } from '#store/tables.ts';
import { type Bundle, type BundledAct, type BundledObject, bundledId, isFresh } from './bundle.ts';

export interface Imported {
  readonly record: Case;
  /** False if all of it had been brought back before. */
  readonly changed: boolean;
}

export async function importBundle(
  services: Pick<Services, 'clock' | 'store'>,
  bundle: Bundle,
): Promise<Imported> {
  const { records } = services.store;
  if (bundle.acts.length === 0)
    throw new ServiceError('validation_failed', {
      detail: 'Nothing was written into this bundle, so there is nothing to bring back.',
    });
  const found = await demandCase(records, bundle.record.id);
  if (found.lookup_hash !== bundle.record.lookup_hash) throw ofAnotherCase();
  const kept = await objectsOf(records, found.id);
  const missing = await missingActs(records, bundle, kept);
  if (missing.length === 0) return { record: found, changed: false };
  demandSame(bundle, kept);
  for (const act of missing) await bringBack(services, bundle, act);
  return { record: await demandCase(records, found.id), changed: true };
}

/** An import that was broken off goes on where it stopped. */
async function missingActs(
  records: Records,
  bundle: Bundle,
  kept: readonly StoredObject[],
): Promise<BundledAct[]> {
  const missing: BundledAct[] = [];
  for (const act of bundle.acts) {
    const object = objectOf(bundle, act);
    const before = kept.find((each) => bundledId(each) === object.id);
    if (!before) missing.push(act);
    else if (!(await isSameObject(records, before.id, await bytesOf(object)))) throw movedOn();
  }
  return missing;
}

/** A buyer's answer that the investigator has not read must not be passed over. */
function demandSame(bundle: Bundle, kept: readonly StoredObject[]): void {
  const known = new Set(bundle.objects.map(({ id }) => id));
  if (kept.some((object) => !known.has(bundledId(object)))) throw movedOn();
  const stored = new Map(kept.map((object) => [bundledId(object), object.size]));
  const seen = bundle.objects.filter((object) => !isFresh(bundle, object));
  if (seen.some(({ id, size }) => stored.get(id) !== size)) throw ofAnotherCase();
}

async function bringBack(
  services: Pick<Services, 'clock' | 'store'>,
  bundle: Bundle,
  act: BundledAct,
): Promise<void> {
  const { id } = bundle.record;
  const sealed = await bytesOf(objectOf(bundle, act));
  if (act.act === 'deliver') {
    const files = bundle.objects.filter(({ kind }) => kind === 'finding-file.v1');
    const inOrder = files.toSorted((a, b) => a.seq - b.seq);
    await deliverWhole(
      services,
      id,
      sealed,
      inOrder.map(({ content }) => content),
    );
    return;
  }
  await addMessage(services, id, {
    by: 'desk',
    seq: act.seq,
    sealed,
    ...(act.act === 'message' ? {} : { act: act.act }),
    ...(act.offers_call ? { callAct: 'offer' } : {}),
  });
}

function objectOf({ objects }: Bundle, act: BundledAct): BundledObject {
  const place =
    act.act === 'deliver'
      ? ({ kind: 'finding.v1', seq: 0 } as const)
      : { kind: messageKinds.desk, seq: act.seq };
  const found = objects.find(({ id }) => id === bundledId(place));
  if (!found) throw ofAnotherCase();
  return found;
}

async function bytesOf({ content }: BundledObject): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(await content()));
}

function movedOn(): ServiceError {
  return new ServiceError('case_changed', {
    detail: 'The case has moved on since this bundle was exported; export it again and read what is new.',
  });
}

function ofAnotherCase(): ServiceError {
  return new ServiceError('not_sealed', {
    detail: 'This bundle does not fit the case that it names; nothing was stored.',
  });
}
