/** Saves the files of an opened case, and the parts of it that are not shown. */

import { join } from 'node:path';
import type { DeskOpenedCase } from '#desk-program/office/case-reader.ts';
import { OfficeFault } from '#desk-program/office/office-fault.ts';
import { formatPartName } from '#seal/archive-name.ts';
import type { FilePlace } from '#seal/case-files.ts';
import type { SealedPlace } from '#seal/envelope.ts';
import { SEALED_FILE_KINDS, type SealedFileKind } from '#seal/header.ts';
import type { UnreadableReason } from '#seal/opened-part.ts';
import { toSavedName } from '#seal/saved-name.ts';
import { SealError } from '#seal/seal-error.ts';
import type { OfficeLink } from './office-link.ts';
import { withProgress } from './progress.ts';
import { createPrivateFolder, requireFreePath, savePrivateFile } from './saved-file.ts';

export interface UnopenedPart extends SealedPlace {
  readonly reason: UnreadableReason;
  readonly detail: string;
}

interface StoredFile extends FilePlace {
  readonly size: number;
}

interface SavingPlan {
  readonly places: readonly StoredFile[];
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

export function listCaseFiles({ objects }: DeskOpenedCase): StoredFile[] {
  return objects.flatMap(({ kind, seq, size }) => {
    const fileKind = SEALED_FILE_KINDS.find((known) => known === kind);
    return fileKind ? [{ kind: fileKind, seq, size }] : [];
  });
}

/** What is damaged or forged is not saved; everything else still is. */
export async function saveCaseFiles(
  link: OfficeLink,
  id: string,
  { places, unshown, folder }: SavingPlan,
): Promise<SavedCase> {
  await createPrivateFolder(folder);
  const saved: string[] = [];
  const unreadable: UnopenedPart[] = [];
  const save = async (place: SealedPlace, open: () => Promise<NamedStream>) => {
    try {
      const { name, content } = await open();
      const path = join(folder, name);
      await savePrivateFile(path, content);
      saved.push(path);
    } catch (error) {
      if (!(error instanceof OfficeFault && error.cause instanceof SealError)) throw error;
      unreadable.push({ ...place, reason: error.cause.code, detail: error.message });
    }
  };
  for (const { kind, seq, size } of places)
    await save({ kind, seq }, async () => {
      const opened = await link.office.streamFile(id, { kind, seq });
      const name = `${fileLabels[kind]}-${seq + 1}-${toSavedName(opened.name)}`;
      requireFreePath(join(folder, name));
      return { name, content: withProgress(opened.content, name, size) };
    });
  for (const place of unshown)
    await save(place, async () => {
      const bytes = await link.office.readPartBytes(id, place);
      return { name: `${formatPartName(place)}.txt`, content: new Blob([Uint8Array.from(bytes)]).stream() };
    });
  return { saved, unreadable };
}
