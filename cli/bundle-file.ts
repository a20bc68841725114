/** Bundles on the disk. */
import type { Bundle } from '#cases/bundle/bundle.ts';
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
  const { readBundle } = await loadFormat();
  return await work(await wholeBundle(path, () => readBundle(source)));
}

export async function saveBundle(path: string, bundle: Bundle): Promise<void> {
  const { bundleBytes } = await loadFormat();
  await saveFile(path, bundleBytes(bundle));
}

/** Only when a bundle is used: the checker of its index would double the start of every command. */
function loadFormat() {
  return import('#cases/bundle/format.ts');
}

async function wholeBundle(path: string, read: () => Promise<Bundle>): Promise<Bundle> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Failure(`${path}: ${error.message}`, EXIT.noInput, error);
  }
}
