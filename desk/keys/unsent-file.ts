/** What was posted to a locked desk: sealed to the public key, which is no secret, and opened once the key is there again. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import type { AgeRecipient } from '#seal/age.ts';
import {
  type DraftFields,
  deleteDraft,
  openSealedDraft,
  toDraftFolder,
  toDraftPath,
  writeSealedDraft,
} from './draft-file.ts';
import { KeyFault } from './key-fault.ts';
import type { PinFile } from './pin-file.ts';

export interface UnsentDraft {
  readonly path: string;
  readonly caseId: string;
  readonly fields: DraftFields;
}

/** The public part of a key, and where its files are. */
export interface UnsentPlace extends Pick<PinFile, 'path'> {
  readonly recipient: AgeRecipient;
}

/** Whoever has the window of a locked desk can post, but not fill the disk. */
const MAX_UNSENT = 50;
const ENDING = /^([\w-]{22})\.(\d+)-\w+\.unsent\.age$/;

/** Each has a file of its own: without the key nothing can be added to another. */
export async function saveUnsent(place: UnsentPlace, caseId: string, fields: DraftFields): Promise<void> {
  const { length } = await listUnsentNames(place);
  if (length >= MAX_UNSENT)
    throw new KeyFault(`${length} texts wait already; unlock the desk first`, EXIT_CODES.cannotCreate);
  const path = toDraftPath(place, caseId).replace(
    /\.age$/,
    `.${Date.now()}-${randomBytes(4).toString('hex')}.unsent.age`,
  );
  await writeSealedDraft(path, place.recipient, { caseId, fields });
}

/** The oldest first. One that does not open stays where it is and keeps nobody from unlocking. */
export async function openUnsent(key: PinFile): Promise<UnsentDraft[]> {
  const drafts: UnsentDraft[] = [];
  for (const name of await listUnsentNames(key)) {
    const path = join(toDraftFolder(key), name);
    const [, caseId = ''] = ENDING.exec(name) ?? [];
    const sealed = await readFile(path).catch(() => null);
    const fields = sealed && (await openSealedDraft(sealed, key, caseId));
    if (fields) drafts.push({ path, caseId, fields });
  }
  return drafts;
}

export async function deleteUnsent({ path }: UnsentDraft): Promise<void> {
  await rm(path, { force: true });
}

/** Of a case that is purged nothing stays that somebody has typed here: neither its draft nor what was not sent. */
export async function deleteCaseTexts(key: PinFile, caseId: string): Promise<void> {
  await deleteDraft(key, caseId);
  for (const name of await listUnsentNames(key))
    if (ENDING.exec(name)?.[1] === caseId) await rm(join(toDraftFolder(key), name), { force: true });
}

async function listUnsentNames(place: Pick<PinFile, 'path'>): Promise<string[]> {
  const names = await readdir(toDraftFolder(place)).catch(() => []);
  const readTime = (name: string) => Number(ENDING.exec(name)?.[2]);
  return names.filter((name) => ENDING.test(name)).toSorted((a, b) => readTime(a) - readTime(b));
}
