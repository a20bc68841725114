/** A case opened with one of its keys: the inquiry, the messages of both sides, and the finding. */
import type { AgeIdentity } from '#seal/age.ts';
import {
  buildCaseContent,
  type CaseContent,
  type OpenedObject,
  openWithinBounds,
} from '#seal/case-content.ts';
import { type FilePlace, findNamedFile, toNamingPlace } from '#seal/case-files.ts';
import type { CaseKey } from '#seal/case-key.ts';
import type { OpenedSealedFile } from '#seal/sealed-file.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';
import { findCaseObject, readObjectBytes, type SealedCase } from './sealed-case.ts';
import { type ReadObject, type SealingSteps, sealingSteps } from './sealing/steps.ts';

/** Times are those at which the store received each part. */
export interface DecryptedCase extends CaseContent<number> {
  readonly record: Case;
  readonly key: CaseKey;
  /** What the content was made of. */
  readonly opened: readonly OpenedObject<number>[];
}

/** `identity` comes from the words, an investigator or the recovery key. By default the case is opened in this thread. */
export async function openSealedCase(
  file: SealedCase,
  identity: AgeIdentity,
  sealing: SealingSteps = sealingSteps,
): Promise<DecryptedCase> {
  const key = await sealing.openCaseKey(file.caseKey, identity, file.record.lookup_hash);
  return await openCaseWithKey(file, key, sealing);
}

/** What was opened `before` is not opened again. */
export async function openCaseWithKey(
  file: SealedCase,
  key: CaseKey,
  sealing: SealingSteps,
  before: readonly OpenedObject<number>[] = [],
): Promise<DecryptedCase> {
  const opened = await openWithinBounds(file.objects, before, async (batch, room) =>
    sealing.openReadObjects(key, await readObjects(file, batch), room),
  );
  return { record: file.record, key, opened, ...buildCaseContent(opened) };
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

/** Opens a file of the inquiry or of the finding; by default in this thread. */
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
