/** Writes private files atomically: readers see a complete file or none, even if several processes start at once. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatFileFault, readErrorCode } from './error-code.ts';
import { EXIT_CODES, ProgramError } from './exit-codes.ts';

const PRIVATE = 0o600;

/** Returns the file's text; creates the file first if it does not exist. Of several processes, the first one wins. */
export async function readOrCreateFile(
  path: string,
  createText: () => string | Promise<string>,
): Promise<string> {
  const existing = await readIfPresent(path);
  if (existing !== null) return existing;
  const draft = await writeDraft(path, await createText());
  try {
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST') throw createWriteError(path, error);
  } finally {
    await rm(draft, { force: true });
  }
  return await readFile(path, 'utf8');
}

/** Replaces the file in one step: a reader sees either the old text or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  if ((await readIfPresent(path)) !== text) await writeWholeFile(path, text);
}

/** Who may use a file that is not private to its writer. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Writes the file in one step, replacing any existing one. */
export async function writeWholeFile(
  path: string,
  content: string | Uint8Array,
  access?: FileAccess,
): Promise<void> {
  const draft = await writeDraft(path, content, access);
  try {
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw createWriteError(path, error);
  }
}

export async function ensureFolder(path: string): Promise<void> {
  try {
    await makeFolders(path);
  } catch (error) {
    throw createWriteError(path, error);
  }
}

/** One level at a time: Node's recursive mkdir never returns where no folder can be created, such as in /proc. */
async function makeFolders(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(dirname(path));
    // Another program may have created it meanwhile.
    await make().catch((again: unknown) => {
      if (readErrorCode(again) !== 'EEXIST') throw again;
    });
  }
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return null;
    throw new ProgramError(`cannot read ${path} (${formatFileFault(error)})`, EXIT_CODES.inputOutput, error);
  }
}

async function writeDraft(path: string, content: string | Uint8Array, access?: FileAccess): Promise<string> {
  await ensureFolder(dirname(path));
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  try {
    await using file = await open(draft, 'wx', PRIVATE);
    await file.writeFile(content);
    if (access) {
      await file.chown(access.uid, access.gid);
      await file.chmod(access.mode);
    }
    await file.sync();
    return draft;
  } catch (error) {
    await rm(draft, { force: true });
    throw createWriteError(path, error);
  }
}

/** Without this, a power cut can lose the name of a file whose contents were synced. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
}

function createWriteError(path: string, error: unknown): ProgramError {
  return new ProgramError(`cannot write ${path}: ${formatFileFault(error)}`, EXIT_CODES.cannotCreate, error);
}
