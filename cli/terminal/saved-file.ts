/** Writes a command's output files: private, complete or absent, and never over an existing file. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatFileFault, readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;

const drafts = new Set<string>();

/** An interrupted command leaves no partial file. */
process.on('exit', () => {
  for (const draft of drafts) rmSync(draft, { force: true });
});

/** The file appears only if the source ends without an error. */
export async function savePrivateFile(path: string, source: AsyncIterable<Uint8Array>): Promise<void> {
  requireFreePath(path);
  const draft = join(dirname(path), `.${randomBytes(6).toString('hex')}.draft`);
  const file = await withWriteFailure(path, () => open(draft, 'wx', PRIVATE_FILE_MODE));
  drafts.add(draft);
  try {
    await writeContent(path, file, source);
    await withWriteFailure(path, async () => moveDraft(path, draft));
  } finally {
    await rm(draft, { force: true });
    drafts.delete(draft);
  }
}

export function requireFreePath(path: string): void {
  if (existsSync(path)) throw createFileExistsFailure(path);
}

export async function createPrivateFolder(path: string): Promise<void> {
  await withWriteFailure(path, () => mkdir(path, { recursive: true, mode: PRIVATE_FOLDER_MODE }));
}

async function writeContent(
  path: string,
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const bytes of source) await withWriteFailure(path, () => file.writeFile(bytes));
    await withWriteFailure(path, () => file.sync());
  } finally {
    await file.close();
  }
}

/** Creates the file first, because a rename replaces files. Synchronous, so that a signal cannot leave it empty. */
function moveDraft(path: string, draft: string): void {
  closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
  renameSync(draft, path);
}

async function withWriteFailure<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'EEXIST') throw createFileExistsFailure(path);
    const exitCode = code === 'ENOSPC' || code === 'EIO' ? EXIT_CODES.inputOutput : EXIT_CODES.cannotCreate;
    throw new ProgramError(`${path}: cannot be written (${formatFileFault(error)})`, exitCode, error);
  }
}

function createFileExistsFailure(path: string): ProgramError {
  return new ProgramError(`${path}: already exists, and was not overwritten`, EXIT_CODES.cannotCreate);
}
