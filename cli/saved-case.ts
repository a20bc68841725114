/** Saves the files of an opened case, and the parts of it that are not shown. */
import { join } from 'node:path';
import { type DecryptedCase, openAttachedFile } from '#cases/decrypted-case.ts';
import { findCaseObject, readObjectBytes, type SealedCase } from '#cases/sealed-case.ts';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { formatPartName } from '#seal/archive-name.ts';
import type { SealedPlace } from '#seal/envelope.ts';
import { SEALED_FILE_KINDS, type SealedFileKind } from '#seal/header.ts';
import { openPartBody } from '#seal/note.ts';
import type { UnreadableReason } from '#seal/opened-part.ts';
import { toSavedName } from '#seal/saved-name.ts';
import { SealError } from '#seal/seal-error.ts';
import { withProgress } from './progress.ts';
import { createPrivateFolder, requireFreePath, savePrivateFile } from './saved-file.ts';

export interface UnopenedPart extends SealedPlace {
  readonly reason: UnreadableReason;
  readonly detail: string;
}

interface SavingPlan {
  readonly desk: Pick<PinFile, 'identity'>;
  readonly unshown: readonly SealedPlace[];
  readonly folder: string;
}

interface NamedStream {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

interface SavedCase {
  readonly saved: readonly string[];
  readonly unreadable: readonly UnopenedPart[];
}

const fileLabels: Readonly<Record<SealedFileKind, string>> = {
  'inquiry-file.v1': 'inquiry',
  'buyer-message-file.v1': 'message',
  'finding-file.v1': 'finding',
};

export function listCaseFiles({ objects }: SealedCase) {
  return objects.flatMap(({ kind, seq, size }) => {
    const fileKind = SEALED_FILE_KINDS.find((known) => known === kind);
    return fileKind ? [{ kind: fileKind, seq, size }] : [];
  });
}

/** What is damaged or forged is not saved; everything else still is. */
export async function saveCaseFiles(
  file: SealedCase,
  { key }: DecryptedCase,
  { desk, unshown, folder }: SavingPlan,
): Promise<SavedCase> {
  await createPrivateFolder(folder);
  const saved: string[] = [];
  const unreadable: UnopenedPart[] = [];
  const save = async (place: SealedPlace, open: () => Promise<NamedStream | null>) => {
    try {
      const opened = await open();
      if (!opened) return;
      const path = join(folder, opened.name);
      await savePrivateFile(path, opened.content);
      saved.push(path);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      unreadable.push({ ...place, reason: error.code, detail: error.message });
    }
  };
  for (const { kind, seq, size } of listCaseFiles(file))
    await save({ kind, seq }, async () => {
      const opened = await openAttachedFile(file, key, { kind, seq });
      if (!opened) return null;
      const name = `${fileLabels[kind]}-${seq + 1}-${toSavedName(opened.name)}`;
      requireFreePath(join(folder, name));
      return { name, content: withProgress(opened.content, name, size) };
    });
  for (const place of unshown)
    await save(place, async () => {
      const object = findCaseObject(file, place.kind, place.seq);
      if (!object) return null;
      const { bytes } = await openPartBody(key, desk.identity, place, await readObjectBytes(file, object));
      return { name: `${formatPartName(place)}.txt`, content: new Blob([Uint8Array.from(bytes)]).stream() };
    });
  return { saved, unreadable };
}
