/** A case opened with one of its keys: the inquiry, the messages of both sides, and the finding. */
import { createHash } from 'node:crypto';
import { giveWay } from '#platform/turns.ts';
import {
  buildCaseContent,
  type CaseContent,
  type OpenedObject,
  openWithinBounds,
} from '#seal/case/case-content.ts';
import { type FilePlace, findNamedFile, toNamingPlace } from '#seal/case/case-files.ts';
import { LEFT_OUT } from '#seal/case/opened-part.ts';
import type { AgeIdentity } from '#seal/core/age.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { formatPlace } from '#seal/core/envelope.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import type { Case } from '#store/cases/cases.ts';
import type { StoredObject } from '#store/cases/objects.ts';
import { findCaseObject, readObjectBytes, type SealedCase } from '../sealing/sealed-case.ts';
import { type ReadObject, type SealingSteps, sealingSteps } from '../sealing-thread/steps.ts';
import { createMessageWindow, type MessageWindow } from './message-window.ts';

/** Times are those at which the store received each part. */
export interface DecryptedCase extends CaseContent<number> {
  readonly record: Case;
  readonly key: CaseKey;
  /** The opened objects that the content was built from. */
  readonly opened: readonly OpenedObject<number>[];
  /** Selects the messages that were opened; absent if all were. */
  readonly window?: MessageWindow;
}

export interface OpeningOptions {
  /** Objects that were opened before and are not opened again. */
  readonly before?: readonly OpenedObject<number>[];
  /** How many of the newest messages to skip before opening some; if absent, all messages are opened. */
  readonly newer?: number;
}

/** `identity` is that of the words, an investigator or the recovery key. By default, opens the case in this thread. */
export async function openSealedCase(
  file: SealedCase,
  identity: AgeIdentity,
  sealing: SealingSteps = sealingSteps,
  options: OpeningOptions = {},
): Promise<DecryptedCase> {
  const key = await sealing.openCaseKey(file.caseKey, identity, file.record.lookup_hash);
  return await openCaseWithKey(file, key, sealing, options);
}

export async function openCaseWithKey(
  file: SealedCase,
  key: CaseKey,
  sealing: SealingSteps,
  { before = [], newer }: OpeningOptions,
): Promise<DecryptedCase> {
  const { record, objects } = file;
  const window = newer === undefined ? undefined : createMessageWindow(objects, newer);
  const [wanted, unwanted] = [true, false].map((isWanted) =>
    objects.filter((object) => (window?.opens(object) ?? true) === isWanted),
  ) as [StoredObject[], StoredObject[]];
  const opened = await openWithinBounds(wanted, before, async (batch, room) =>
    sealing.openReadObjects(key, await readObjects(file, batch), room),
  );
  const known = new Map(
    [...(await leaveOut(file, unwanted, before)), ...opened].map((object) => [formatPlace(object), object]),
  );
  const ordered = objects.flatMap((object) => known.get(formatPlace(object)) ?? []);
  return { record, key, opened: ordered, ...buildCaseContent(ordered), ...(window ? { window } : {}) };
}

/** Later messages are checked against the hashes of earlier ones, so every message is read. */
async function leaveOut(
  file: SealedCase,
  objects: readonly StoredObject[],
  before: readonly OpenedObject<number>[],
): Promise<OpenedObject<number>[]> {
  const left: OpenedObject<number>[] = [];
  for (const object of objects) {
    const { kind, seq, keptAt: at } = object;
    const known = before.find((one) => one.kind === kind && one.seq === seq);
    if (known) {
      left.push(known);
      continue;
    }
    const hash = createHash('sha256')
      .update(await readObjectBytes(file, object))
      .digest();
    left.push({ kind, seq, at, hash, size: 0, part: LEFT_OUT });
    await giveWay();
  }
  return left;
}

async function readObjects(
  file: SealedCase,
  objects: readonly StoredObject[],
): Promise<ReadObject<number>[]> {
  return await Promise.all(
    objects.map(async (object) => ({
      kind: object.kind,
      seq: object.seq,
      at: object.keptAt,
      sealed: await readObjectBytes(file, object),
    })),
  );
}

/** Opens a file of the inquiry, a message or the finding; by default in this thread. */
export async function openAttachedFile(
  file: SealedCase,
  key: CaseKey,
  { kind, seq }: FilePlace,
  sealing: SealingSteps = sealingSteps,
): Promise<OpenedSealedFile | null> {
  const object = findCaseObject(file, kind, seq);
  if (!object) return null;
  const naming = toNamingPlace({ kind, seq });
  const list = findCaseObject(file, naming.kind, naming.seq);
  const [opened] = list ? await sealing.openReadObjects(key, await readObjects(file, [list])) : [];
  const named = findNamedFile(opened?.part, { kind, seq });
  return await sealing.openSealedFile(key, { kind, seq }, file.stream(object), named);
}
