/** How the desk was started: which office, which key, and whom it trusts. */
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '#platform/config/config.ts';
import { formatFileFault } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import {
  describeOwnService,
  type OfficeAddress,
  parseOfficeAddress,
  parseSocketTarget,
  parseTrustChoice,
  type TrustChoice,
} from './office/office-address.ts';
import type { SocketTarget } from './office/secure-socket.ts';

export interface DeskSettings {
  readonly address: OfficeAddress;
  readonly trust: TrustChoice;
  readonly connect: SocketTarget | null;
  /** With links resolved, so that the files beside it are beside the key itself. */
  readonly keyPath: string;
  readonly outFolder: string | null;
  readonly templatesFolder: string | null;
  /** For a browser that does not know names below `localhost`. */
  readonly isNumeric: boolean;
  readonly isRootAllowed: boolean;
}

export const DESK_USAGE = `Usage: npm run desk -- [ADDRESS --key FILE] [options]

Opens the desk in a browser of this machine. Next to a local npm start it needs no argument. Otherwise:

  npm run desk -- https://office.example --key sam.key

  --key FILE         your private key; to give it a passphrase: bin/office keys protect FILE
  --pin sha256/KEY   trust the office by this key only, as for a self-signed certificate
  --ca FILE          trust these authorities instead of the public ones
  --connect HOST:PORT  connect here instead, such as to the local end of an SSH tunnel; the office is still ADDRESS
  --out FOLDER       save files of cases here; without it, the browser downloads them
  --templates FOLDER Markdown files that can be inserted into a text
  --numeric          use 127.0.0.1 instead of a name, for Safari; your browser then also sends the desk's
                     cookie to other programs on this machine that it visits at that address
  --as-root          run as root anyway
  --version, --help
`;

const options = {
  key: { type: 'string' },
  pin: { type: 'string' },
  ca: { type: 'string' },
  connect: { type: 'string' },
  out: { type: 'string' },
  templates: { type: 'string' },
  numeric: { type: 'boolean' },
  'as-root': { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** File names are relative to `folder`. Returns a word if help or the version is requested. */
export function readDeskSettings(args: readonly string[], folder: string): DeskSettings | 'help' | 'version' {
  const { values, positionals } = parseDeskArgs(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  const [address, ...others] = positionals;
  if (others.length > 0) throw createUsageError('Give one address');
  const paths = {
    outFolder: values.out === undefined ? null : requireFolder(resolve(folder, values.out)),
    templatesFolder: values.templates === undefined ? null : requireFolder(resolve(folder, values.templates)),
  };
  const office = address === undefined ? readLocalOffice(values) : readNamedOffice(address, values, folder);
  return {
    ...office,
    ...paths,
    connect:
      values.connect === undefined ? office.connect : parseSocketTarget(values.connect, createUsageError),
    isNumeric: values.numeric ?? false,
    isRootAllowed: values['as-root'] ?? false,
  };
}

function parseDeskArgs(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw createUsageError((error as Error).message.split(/[.\n]/)[0] ?? '');
  }
}

type OfficeChoice = Pick<DeskSettings, 'address' | 'trust' | 'connect' | 'keyPath'>;

function readNamedOffice(text: string, { key, pin, ca }: Options, folder: string): OfficeChoice {
  const address = parseOfficeAddress(text);
  if (!address)
    throw createUsageError(`${text}: expected the office's address, such as https://office.example`);
  if (key === undefined) throw createUsageError('--key FILE is missing: the file with your private key');
  // The message does not quote the argument, because it is the key itself.
  if (/^AGE-SECRET/i.test(key)) throw createUsageError('--key takes the name of a file, not the key itself');
  return {
    address,
    trust: readTrust(pin, ca, folder),
    connect: null,
    keyPath: requireFile(resolve(folder, key)),
  };
}

function readTrust(pin: string | undefined, ca: string | undefined, folder: string): TrustChoice {
  const choice = parseTrustChoice({ pin, ca }, createUsageError);
  return typeof choice === 'object' && 'caPath' in choice
    ? { caPath: requireFile(resolve(folder, choice.caPath)) }
    : choice;
}

/** Trusts only the certificate that the service has made for itself. */
function readLocalOffice({ key, pin, ca }: Options): OfficeChoice {
  if (key !== undefined || pin !== undefined || ca !== undefined)
    throw createUsageError('--key, --pin and --ca need the address of an office');
  const { address, trust, connect, keyPath: path } = describeOwnService(loadConfig());
  if (trust === 'public' || 'pin' in trust)
    throw createUsageError(
      'The service here does not use a certificate that it made itself: pass its address and --key',
    );
  const keyPath = requireFile(path, 'start the service first (npm start)');
  return { address, trust: { caPath: requireFile(trust.caPath) }, connect, keyPath };
}

function requireFile(path: string, otherwise = 'check the name'): string {
  try {
    if (statSync(path).isFile()) return realpathSync(path);
    throw new ProgramError(`${path}: not a file`, EXIT_CODES.noInput);
  } catch (error) {
    if (error instanceof ProgramError) throw error;
    throw new ProgramError(
      `${path}: cannot be read (${formatFileFault(error)}); ${otherwise}`,
      EXIT_CODES.noInput,
    );
  }
}

function requireFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path);
  throw new ProgramError(`${path}: no such folder`, EXIT_CODES.noInput);
}

function createUsageError(line: string): ProgramError {
  return new ProgramError(`${line}. npm run desk -- --help says more`, EXIT_CODES.usage);
}
