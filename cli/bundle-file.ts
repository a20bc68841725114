/** Bundles on the disk. */
import type { Bundle } from '#cases/bundle.ts';
import { bundleBytes, readBundle } from '#cases/bundle-format.ts';
import { EXIT } from '#platform/errors.ts';
import { SealError } from '#seal/seal-error.ts';
import { Failure } from './failure.ts';
import { openInput, sizeOfInput, streamInput } from './input-file.ts';
import { saveFile } from './saved-file.ts';

/** The file stays open as long as somebody works with it. */
export async function withBundle<Result>(
  path: string,
  work: (bundle: Bundle) => Promise<Result>,
): Promise<Result> {
  await using file = await openInput(path);
  const source = {
    size: await sizeOfInput(path, file),
    stream: (start: number, size: number) => streamInput(path, file, start, size),
  };
  return await work(await wholeBundle(path, () => readBundle(source)));
}

export async function saveBundle(path: string, bundle: Bundle): Promise<void> {
  await saveFile(path, bundleBytes(bundle));
}

async function wholeBundle(path: string, read: () => Promise<Bundle>): Promise<Bundle> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Failure(`${path}: ${error.message}`, EXIT.noInput, error);
  }
}
