/** Reads and writes bundle files. */
import type { CaseBundle } from '#cases/bundle/bundle.ts';
import type { ReceivedBundle } from '#cases/bundle/format.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { SealError } from '#seal/seal-error.ts';
import { CommandFailure } from './failure.ts';
import { openInputFile, readInputFileSize, streamInputFile } from './input-file.ts';
import { savePrivateFile } from './saved-file.ts';

/** Keeps the file open until the work is done, because objects are read from it on demand. */
export async function withBundleFile<Result>(
  path: string,
  work: (bundle: ReceivedBundle) => Promise<Result>,
): Promise<Result> {
  await using file = await openInputFile(path);
  const source = {
    size: await readInputFileSize(path, file),
    stream: (start: number, size: number) => streamInputFile(path, file, start, size),
  };
  const { readBundle } = await loadBundleFormat();
  return await work(await requireWholeBundle(path, () => readBundle(source)));
}

export async function saveBundleFile(path: string, bundle: CaseBundle, resultKey: string): Promise<void> {
  const { encodeBundle } = await loadBundleFormat();
  await savePrivateFile(path, encodeBundle(bundle, resultKey));
}

/** Loaded only when needed: its schema validator would double the start time of every command. */
function loadBundleFormat() {
  return import('#cases/bundle/format.ts');
}

async function requireWholeBundle(
  path: string,
  read: () => Promise<ReceivedBundle>,
): Promise<ReceivedBundle> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new CommandFailure(`${path}: ${error.message}`, EXIT_CODES.noInput, error);
  }
}
