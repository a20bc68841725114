/** Texts that were posted to a locked desk: sealed to its public key, and opened at the next unlock. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { AgeRecipient } from '#seal/core/age.ts';
import {
  type CaseDraft,
  type DraftFields,
  deleteDraft,
  openSealedDraft,
  toDraftFolder,
  writeSealedDraft,
} from './draft-file.ts';
import type { PinFile } from './pin-file.ts';

export interface UnsentDraft extends CaseDraft {
  readonly path: string;
}

/** The public part of a key, and the path of its files. */
export interface UnsentPlace extends Pick<PinFile, 'path'> {
  readonly recipient: AgeRecipient;
}

/** A stranger at the window of a locked desk can post, but not fill the disk. */
const MAX_UNSENT = 50;
/** The name does not say which case it is: a locked desk has no key to hide that with. */
const NAME = /^(\d+)-\w+\.unsent\.age$/;

/** Each text has its own file: without the key an existing one cannot be extended. */
export async function saveUnsent(place: UnsentPlace, caseId: string, fields: DraftFields): Promise<void> {
  const { length } = await listUnsentNames(place);
  if (length >= MAX_UNSENT)
    throw new ProgramError(
      `${length} unsent texts are already stored; unlock the desk first`,
      EXIT_CODES.cannotCreate,
    );
  const name = `${Date.now()}-${randomBytes(4).toString('hex')}.unsent.age`;
  await writeSealedDraft(join(toDraftFolder(place), name), place.recipient, { caseId, fields });
}

/** The oldest first. A file that does not open stays in place and does not prevent unlocking. */
export async function openUnsent(key: PinFile): Promise<UnsentDraft[]> {
  const drafts: UnsentDraft[] = [];
  for (const name of await listUnsentNames(key)) {
    const path = join(toDraftFolder(key), name);
    const sealed = await readFile(path).catch(() => null);
    const draft = sealed && (await openSealedDraft(sealed, key));
    if (draft) drafts.push({ path, ...draft });
  }
  return drafts;
}

export async function deleteUnsent({ path }: UnsentDraft): Promise<void> {
  await rm(path, { force: true });
}

/** Deletes everything that was typed here for a purged case: its draft and its unsent texts. */
export async function deleteCaseTexts(key: PinFile, caseId: string): Promise<void> {
  await deleteDraft(key, caseId);
  for (const unsent of await openUnsent(key)) if (unsent.caseId === caseId) await deleteUnsent(unsent);
}

async function listUnsentNames(place: Pick<PinFile, 'path'>): Promise<string[]> {
  const names = await readdir(toDraftFolder(place)).catch(() => []);
  const readTime = (name: string) => Number(NAME.exec(name)?.[1]);
  return names.filter((name) => NAME.test(name)).toSorted((a, b) => readTime(a) - readTime(b));
}
