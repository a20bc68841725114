/** Files beside a desk key that remember something about each office, under a MAC of the key. */
import { replaceFile } from '#platform/atomic-file.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { withFileLock } from '#platform/file-lock.ts';
import { computePinListMac } from '#seal/core/key-pin.ts';
import { readBesideKey, toSiblingPath } from './beside-key.ts';
import type { PinFile } from './pin-file.ts';

/** What a file remembers; the format prevents one file from being used as another. */
export interface RememberedKind {
  readonly ending: string;
  readonly format: string;
  /** What is lost if the file is moved away. */
  readonly loss: string;
}

/** Null if the key was never used at this office. */
export async function readRemembered<Value>(
  key: PinFile,
  kind: RememberedKind,
  origin: string,
): Promise<Value | null> {
  return (await readOffices<Value>(key, kind))[origin] ?? null;
}

export async function saveRemembered(
  key: PinFile,
  kind: RememberedKind,
  origin: string,
  value: unknown,
): Promise<void> {
  const path = toSiblingPath(key.path, kind.ending);
  await withFileLock(`${path}.lock`, async () => {
    const offices = await readOffices(key, kind);
    const body = `${kind.format}\n${JSON.stringify({ ...offices, [origin]: value })}\n`;
    await replaceFile(path, `${body}${computePinListMac(key.identity, body)}\n`);
  });
}

async function readOffices<Value = unknown>(
  { path: pinPath, identity }: PinFile,
  { ending, format, loss }: RememberedKind,
): Promise<Readonly<Record<string, Value>>> {
  const path = toSiblingPath(pinPath, ending);
  const text = (await readBesideKey(path))?.toString();
  if (text === undefined) return {};
  const [first, json = '', mac] = text.split('\n');
  // A valid MAC was made with this key, so the content needs no further check.
  if (first !== format || mac !== computePinListMac(identity, `${first}\n${json}\n`))
    throw new ProgramError(
      `${path}: damaged, changed without the key, or made with another key. Move it to another folder: ${loss}`,
      EXIT_CODES.dataError,
    );
  return JSON.parse(json) as Record<string, Value>;
}
