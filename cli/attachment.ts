/** Files attached to a finding: all are opened before anything is sealed, and each is read while it is sealed. */
import { basename } from 'node:path';
import { MAX_KEY_BYTES } from '#desk-program/keys/key-text.ts';
import type { DeskAttachment } from '#desk-program/office/finding-sender.ts';
import { refuseKeyFile } from '#desk-program/office/key-slip.ts';
import { openInputFile, readInputFileSize, streamInputFile } from './input-file.ts';

interface FindingAttachments extends AsyncDisposable {
  readonly files: readonly DeskAttachment[];
}

export async function openAttachments(paths: readonly string[]): Promise<FindingAttachments> {
  await using stack = new AsyncDisposableStack();
  const files: DeskAttachment[] = [];
  for (const path of paths) {
    const file = stack.use(await openInputFile(path));
    const size = await readInputFileSize(path, file);
    const name = basename(path);
    const head = await Array.fromAsync(streamInputFile(path, file, 0, Math.min(size, MAX_KEY_BYTES)));
    refuseKeyFile(Buffer.concat(head), { name, size });
    files.push({ name, size, content: () => streamInputFile(path, file, 0, size) });
  }
  const opened = stack.move();
  return { files, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
