/** Opens downloaded files, each returned only after all of it is authenticated, and puts a whole case into an archive. */
import { makeZip } from 'client-zip';
import { isErrorWithCode, UserFacingError } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import { createByteReader, createByteStream, readRemainingBytes } from '#seal/core/byte-stream.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { createPathChooser, toArchiveName } from '#seal/files/archive-name.ts';
import { openSealedFile } from '#seal/files/sealed-file.ts';

export interface DownloadedFile {
  readonly name: string;
  readonly content: Blob;
}

/** A file of the case, and the folder that it is put into. */
export interface ArchiveFile extends CaseFile {
  readonly folder: string;
}

interface ArchiveText {
  readonly name: string;
  readonly text: string;
}

/** The page supplies all text for people, because the worker has no catalogue. */
export interface ArchiveRequest {
  readonly texts: readonly ArchiveText[];
  readonly files: readonly ArchiveFile[];
  /** Added if some files cannot be opened, followed by their names. */
  readonly damagedNote: ArchiveText;
}

/** The browser must save the file, never show it as a page of this site. */
const BLOB_OPTIONS = { type: 'application/octet-stream' };

export async function openFileResponse(
  key: CaseKey,
  file: CaseFile,
  response: Response,
  progress: ProgressCallback,
): Promise<DownloadedFile> {
  let connectionLost = false;
  async function* readResponseBody(): AsyncGenerator<Uint8Array> {
    const total = Number(response.headers.get('content-length'));
    let received = 0;
    try {
      for await (const piece of readRemainingBytes(
        createByteReader(response.body ?? new Blob([]).stream()),
      )) {
        received += piece.length;
        progress(Math.min(1, received / total));
        yield piece;
      }
    } catch (error) {
      connectionLost = true;
      throw error;
    }
  }
  try {
    const sealed = createByteStream(readResponseBody());
    const { content } = await openSealedFile(key, { kind: file.kind, seq: file.seq }, sealed, file);
    return { name: toArchiveName(file.name), content: await collectBlob(content) };
  } catch (error) {
    throw connectionLost ? new UserFacingError({ code: 'connection_lost' }) : error;
  }
}

/** A Blob per piece lets the browser move the data to disk instead of filling the memory. */
async function collectBlob(stream: ReadableStream<Uint8Array>): Promise<Blob> {
  const pieces: Blob[] = [];
  for await (const piece of readRemainingBytes(createByteReader(stream)))
    pieces.push(new Blob([piece as BlobPart]));
  return new Blob(pieces, BLOB_OPTIONS);
}

/** A connection may be lost in the middle of a file. */
const TRIES = 3;

type OpenFile = (file: CaseFile, progress: ProgressCallback) => Promise<DownloadedFile>;

/** A ZIP of the texts and files of a case. Opens one file at a time; the browser may move it and the archive to disk. */
export async function createCaseArchive(
  { texts, files, damagedNote }: ArchiveRequest,
  openFile: OpenFile,
  progress: ProgressCallback,
) {
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
