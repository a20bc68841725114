/** The file beside a desk key that remembers who worked at an office when the investigator last looked. */
import { readFile } from 'node:fs/promises';
import { replaceFile } from '#platform/atomic-file.ts';
import { formatFileFault, readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { computePinListMac } from '#seal/key-pin.ts';
import { withFileLock } from './file-lock.ts';
import { KeyFault } from './key-fault.ts';
import { type PinFile, toSiblingPath } from './pin-file.ts';

export interface RememberedPerson {
  /** The hash of their public key. */
  readonly holder: string;
  readonly name: string | null;
}

const FORMAT = 'inquiry-office people 1';

type PeopleByOffice = Readonly<Record<string, readonly RememberedPerson[]>>;

/** Null if the key was never used at this office. */
export async function readPeople(key: PinFile, origin: string): Promise<readonly RememberedPerson[] | null> {
  return (await readPeopleFile(key))[origin] ?? null;
}

export async function savePeople(
  key: PinFile,
  origin: string,
  people: readonly RememberedPerson[],
): Promise<void> {
  const path = toPeoplePath(key);
  await withFileLock(`${path}.lock`, async () => {
    const entries = people.map(({ holder, name }) => ({ holder, name }));
    const body = `${FORMAT}\n${JSON.stringify({ ...(await readPeopleFile(key)), [origin]: entries })}\n`;
    await replaceFile(path, `${body}${computePinListMac(key.identity, body)}\n`);
  });
}

async function readPeopleFile(key: PinFile): Promise<PeopleByOffice> {
  const path = toPeoplePath(key);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (readErrorCode(error) === 'ENOENT') return null;
    throw new KeyFault(`${path}: cannot be read (${formatFileFault(error)})`, EXIT_CODES.noInput, error);
  });
  if (text === null) return {};
  const [format, json = '', mac] = text.split('\n');
  // Made with this key, so what it has is what was written.
  if (format !== FORMAT || mac !== computePinListMac(key.identity, `${format}\n${json}\n`))
    throw new KeyFault(
      `${path}: damaged, changed without the key, or of another key. Move it away: the desk then shows all people as new.`,
      EXIT_CODES.dataError,
    );
  return JSON.parse(json) as PeopleByOffice;
}

function toPeoplePath({ path }: PinFile): string {
  return toSiblingPath(path, 'people');
}
