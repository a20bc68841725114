/** Puts the texts and files of a case into one ZIP archive, file by file; the worker runs it. */
import { makeZip } from 'client-zip';
import { isErrorWithCode } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import type {
  ArchiveFile,
  ArchiveRequest,
  CaseArchive,
  DownloadedFile,
} from '#browser/workers/opener-jobs.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { createPathChooser } from '#seal/files/archive-name.ts';
import { collectBlob } from './open-file.ts';

/** A connection may be lost in the middle of a file. */
const TRIES = 3;

type OpenFile = (file: CaseFile, progress: ProgressCallback) => Promise<DownloadedFile>;

/** Opens one file at a time; the browser may move it and the archive to disk. */
export async function createCaseArchive(
  { texts, files, damagedNote }: ArchiveRequest,
  openFile: OpenFile,
  progress: ProgressCallback,
): Promise<CaseArchive> {
  const choosePath = createPathChooser();
  const damaged: string[] = [];
  async function* listEntries() {
    for (const { name, text } of texts) yield { name: choosePath('', name), input: text };
    for (const [index, file] of files.entries()) {
      const opened = await openUndamaged(file, openFile, (share) => progress((index + share) / files.length));
      if (opened) yield { name: choosePath(file.folder, opened.name), input: opened.content };
      else damaged.push(file.label);
    }
    if (damaged.length > 0) {
      const { name, text } = damagedNote;
      yield { name: choosePath('', name), input: `${text}\n\n${damaged.join('\n')}\n` };
    }
  }
  return { content: await collectBlob(makeZip(listEntries())), isComplete: damaged.length === 0 };
}

/** Null for a file that no retry would open, so that all others are still saved. */
async function openUndamaged(
  file: ArchiveFile,
  openFile: OpenFile,
  progress: ProgressCallback,
): Promise<DownloadedFile | null> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await openFile(file, progress);
    } catch (error) {
      if (error instanceof SealError || isErrorWithCode(error, 'not_found')) return null;
      if (!isErrorWithCode(error, 'connection_lost') || attempt === TRIES) throw error;
    }
}
