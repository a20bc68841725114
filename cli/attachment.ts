/** Files attached to a finding: all are opened before anything is sealed, and each is read while it is sealed. */
import { basename } from 'node:path';
import { MAX_KEY_BYTES } from '#desk-program/keys/key-text.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import type { CaseKey } from '#seal/case-key.ts';
import { MAX_FINDING_FILE_BYTES } from '#seal/finding.ts';
import { sealFile } from '#seal/sealed-file.ts';
import { refusePrivateKeyFile } from './desk-key.ts';
import { openInputFile, readInputFileSize, streamInputFile } from './input-file.ts';
import { withProgress } from './progress.ts';

export interface FindingAttachment {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly content: () => ReadableStream<Uint8Array>;
}

export interface FindingAttachments extends AsyncDisposable {
  readonly files: readonly FindingAttachment[];
}

export async function openAttachments(paths: readonly string[]): Promise<FindingAttachments> {
  await using stack = new AsyncDisposableStack();
  const files: FindingAttachment[] = [];
  for (const path of paths) {
    const file = stack.use(await openInputFile(path));
    const size = await readInputFileSize(path, file);
    const start = await Array.fromAsync(streamInputFile(path, file, 0, Math.min(size, MAX_KEY_BYTES)));
    refusePrivateKeyFile(path, Buffer.concat(start), size);
    const streamContent = () => streamInputFile(path, file, 0, size);
    files.push({ name: basename(path), mime: OCTET_STREAM, size, content: streamContent });
  }
  const opened = stack.move();
  return { files, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export function sealAttachment(
  key: CaseKey,
  seq: number,
  { name, mime, size, content }: FindingAttachment,
): () => Promise<ReadableStream<Uint8Array>> {
  return () =>
    sealFile(
      key,
      { kind: 'finding-file.v1', seq },
      { name, mime, content: withProgress(content(), name, size), maxBytes: MAX_FINDING_FILE_BYTES },
    );
}
