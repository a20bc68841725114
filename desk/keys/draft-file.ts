/** Drafts of an investigator, and texts posted to a locked desk: sealed to the key, in a folder beside it. */
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureFolder, writeWholeFile } from '#platform/atomic-file.ts';
import { DAY_MS } from '#platform/durations.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { type AgeRecipient, deriveRecipient, openSealedBytes, sealBytes } from '#seal/core/age.ts';
import { parseBoundedJson } from '#seal/core/bounded-json.ts';
import { decodeUtf8, encodeUtf8 } from '#seal/core/bytes.ts';
import { createDeskTagger } from '#seal/core/key-pin.ts';
import { computeSizeClass } from '#seal/core/padding.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { readBesideKey, toSiblingPath } from './beside-key.ts';
import type { PinFile } from './pin-file.ts';

/** The typed texts, by the names of their fields. */
export type DraftFields = Readonly<Record<string, string>>;

export interface CaseDraft {
  readonly caseId: string;
  readonly fields: DraftFields;
}

const PRIVATE_FOLDER = 0o700;
const OLD_DRAFT_DAYS = 60;
const SPACE = 0x20;

/** Each case has at most one draft, which is replaced atomically. */
export async function saveDraft(key: PinFile, caseId: string, fields: DraftFields): Promise<void> {
  const path = toDraftPath(key, caseId);
  await writeSealedDraft(path, await deriveRecipient(key.identity), { caseId, fields });
}

/** Sealing needs only the public key. */
async function writeSealedDraft(
  path: string,
  recipient: AgeRecipient,
  { caseId, fields }: CaseDraft,
): Promise<void> {
  const text = encodeUtf8(JSON.stringify({ v: 1, kind: 'desk-draft', case: caseId, fields }));
  // Padded, so that the size of the file does not reveal how much was written.
  const padded = new Uint8Array(toDraftSize(text.length, path)).fill(SPACE);
  padded.set(text);
  const sealed = await sealBytes(padded, [recipient]);
  await ensureFolder(dirname(path));
  await chmod(dirname(path), PRIVATE_FOLDER);
  await writeWholeFile(path, sealed);
}

export async function readDraft(key: PinFile, caseId: string): Promise<DraftFields | null> {
  const path = toDraftPath(key, caseId);
  const sealed = await readBesideKey(path);
  if (sealed === null) return null;
  const draft = await openSealedDraft(sealed, key);
  if (draft?.caseId === caseId) return draft.fields;
  throw new ProgramError(
    `${path}: not your draft for this case. Move the file to another folder.`,
    EXIT_CODES.dataError,
  );
}

export async function deleteDraft(key: PinFile, caseId: string): Promise<void> {
  await rm(toDraftPath(key, caseId), { force: true });
}

export type DraftTimes = Awaited<ReturnType<typeof readDraftTimes>>;

/** Reads only the folder, so that a list of cases opens no draft. */
export async function readDraftTimes(key: PinFile) {
  const times = await readFileTimes(toDraftFolder(key));
  const tag = createDeskTagger(key.identity);
  return { get: (caseId: string) => times.get(toDraftName(tag('draft', caseId))) };
}

/** Drafts remain if a case is purged elsewhere; a draft this old will not be continued. */
export async function deleteOldDrafts(key: PinFile, now: number): Promise<void> {
  const folder = toDraftFolder(key);
  for (const [name, time] of await readFileTimes(folder))
    if (time < now - OLD_DRAFT_DAYS * DAY_MS) await rm(join(folder, name), { force: true });
}

async function readFileTimes(folder: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const name of await readdir(folder).catch(() => [])) {
    const stats = await stat(join(folder, name)).catch(() => null);
    if (stats) times.set(name, stats.mtimeMs);
  }
  return times;
}

/** Null if it is damaged, or not a draft of this key. */
export async function openSealedDraft(sealed: Uint8Array, { identity }: PinFile): Promise<CaseDraft | null> {
  try {
    const draft = parseBoundedJson(decodeUtf8(await openSealedBytes(sealed, identity)));
    const { v, kind, case: id, fields } = (draft ?? {}) as Readonly<Record<string, unknown>>;
    const isDraft =
      v === 1 && kind === 'desk-draft' && typeof id === 'string' && isId(id) && isDraftFields(fields);
    return isDraft ? { caseId: id, fields } : null;
  } catch {
    return null;
  }
}

function isDraftFields(fields: unknown): fields is DraftFields {
  if (typeof fields !== 'object' || fields === null) return false;
  return Object.values(fields).every((value) => typeof value === 'string');
}

function toDraftSize(length: number, path: string): number {
  try {
    return computeSizeClass(length);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new ProgramError(
      `${path}: the text is too long for a draft, so it was not saved.`,
      EXIT_CODES.cannotCreate,
    );
  }
}

export function toDraftFolder({ path }: Pick<PinFile, 'path'>): string {
  return toSiblingPath(path, 'drafts');
}

/** Without the key, the name does not reveal which case it is. */
function toDraftPath(key: PinFile, caseId: string): string {
  if (!isId(caseId)) throw new ProgramError('This is not the id of a case.', EXIT_CODES.dataError);
  return join(toDraftFolder(key), toDraftName(createDeskTagger(key.identity)('draft', caseId)));
}

function toDraftName(tag: string): string {
  return `${tag}.age`;
}

/** A stranger at the window of a locked desk can post, but not fill the disk. */
const MAX_UNSENT = 50;
/** The name does not say which case it is: a locked desk has no key to hide that with. */
const NAME = /^(\d+)-\w+\.unsent\.age$/;

/** Each text has its own file: without the key an existing one cannot be extended. */
export async function saveUnsent(
  place: Pick<PinFile, 'path'> & { readonly recipient: AgeRecipient },
  draft: CaseDraft,
): Promise<void> {
  const { length } = await listUnsentNames(place);
  if (length >= MAX_UNSENT)
    throw new ProgramError(
      `${length} unsent texts are already stored; unlock the desk first`,
      EXIT_CODES.cannotCreate,
    );
  const name = `${Date.now()}-${randomBytes(4).toString('hex')}.unsent.age`;
  await writeSealedDraft(join(toDraftFolder(place), name), place.recipient, draft);
}

/** The oldest first. A file that does not open stays in place and does not prevent unlocking. */
export async function openUnsent(key: PinFile) {
  const drafts: (CaseDraft & { readonly path: string })[] = [];
  for (const name of await listUnsentNames(key)) {
    const path = join(toDraftFolder(key), name);
    const sealed = await readFile(path).catch(() => null);
    const draft = sealed && (await openSealedDraft(sealed, key));
    if (draft) drafts.push({ path, ...draft });
  }
  return drafts;
}

export async function deleteUnsent({ path }: { readonly path: string }): Promise<void> {
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
