/** Files that a command writes: private, whole or absent, and never over another one. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '#platform/errors.ts';
import { codeOf, Failure } from './failure.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const drafts = new Set<string>();

/** Even a command that is broken off leaves nothing half written. */
process.on('exit', () => {
  for (const draft of drafts) rmSync(draft, { force: true });
});

/** Kept only if the source comes to its end without an error. */
export async function saveFile(path: string, source: AsyncIterable<Uint8Array>): Promise<void> {
  demandFree(path);
  const draft = join(dirname(path), `.${randomBytes(6).toString('hex')}.draft`);
  const file = await writing(path, () => open(draft, 'wx', PRIVATE_FILE));
  drafts.add(draft);
  try {
    await fill(path, file, source);
    await writing(path, async () => moveTo(path, draft));
  } finally {
    await rm(draft, { force: true });
    drafts.delete(draft);
  }
}

export function demandFree(path: string): void {
  if (existsSync(path)) throw taken(path);
}

export async function makePrivateFolder(path: string): Promise<void> {
  await writing(path, () => mkdir(path, { recursive: true, mode: PRIVATE_FOLDER }));
}

async function fill(path: string, file: FileHandle, source: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const bytes of source) await writing(path, () => file.writeFile(bytes));
    await writing(path, () => file.sync());
  } finally {
    await file.close();
  }
}

/** Claims the name first, since a rename replaces; in one go, so that no signal leaves the claim behind. */
function moveTo(path: string, draft: string): void {
  closeSync(openSync(path, 'wx', PRIVATE_FILE));
  renameSync(draft, path);
}

async function writing<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') throw taken(path);
    const reason = code === 'ENOSPC' ? 'the disk is full' : code;
    const exitCode = code === 'ENOSPC' || code === 'EIO' ? EXIT.inputOutput : EXIT.cannotCreate;
    throw new Failure(`${path}: it cannot be written (${reason})`, exitCode, error);
  }
}

function taken(path: string): Failure {
  return new Failure(`${path}: is there already, and nothing is overwritten`, EXIT.cannotCreate);
}
