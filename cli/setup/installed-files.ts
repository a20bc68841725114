/** Reads the files of an installation, composes new ones from shipped files and answers, and writes them. */
import { constants, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { copyFile, open, rename, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ensureFolder, type FileAccess, writeWholeFile } from '#platform/atomic-file.ts';
import { ConfigError, readConfig, readListeners } from '#platform/config/config.ts';
import { parseSettings, reportLines } from '#platform/config/env-file.ts';
import { EnvironmentReader, PROJECT_FOLDER } from '#platform/config/environment.ts';
import { PAYMENT_SECRET_FILES } from '#platform/config/payment-settings.ts';
import { parsePeople } from '#platform/config/recipients.ts';
import { formatFileFault } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { generateMasterKey, toMasterKeyPath } from '#store/keys/keyring.ts';
import { getOwnUser, readTarget, type SystemUser } from './machine.ts';

const SETTINGS_FOLDER = '/etc/inquiry-office';
const SETTINGS_FILE = `${SETTINGS_FOLDER}/office.env`;
const UNIT_FILE = '/etc/systemd/system/inquiry-office.service';
const BACKUP_UNIT_FILE = '/etc/systemd/system/inquiry-office-backup.service';
const TIMER_FILE = '/etc/systemd/system/inquiry-office-backup.timer';
/** A folder below the one for backups, so that it is missing while the disk is not mounted. */
const BACKUP_SUBFOLDER = 'inquiry-office';
export const DEFAULT_USER = 'office';
export const PROXY_FILE = '/etc/haproxy/haproxy.cfg';
export const CERTIFICATE_FILE = '/etc/haproxy/certs/office.pem';
/** In lines. A file that differs more is not an earlier one of ours, but for example the one that Debian ships. */
const LONGEST_DIFFERENCE = 60;
/** The values in the shipped files. */
const SHIPPED_PROJECT = '/opt/inquiry-office';
const SHIPPED_BACKUP = '/var/backups/inquiry-office';
const SHIPPED_HOST = 'office.example';
const SHIPPED_API = '/api';
const SHIPPED_PORT = '127.0.0.1:8443';
const SHIPPED_CHECK = ' check port 9464 inter 2s fall 3 rise 1';
const PROJECT = PROJECT_FOLDER.replace(/\/$/, '');

/** Each secret is written to its own file, whose path the settings contain as `NAME_FILE`. */
const SECRET_FILES = {
  MASTER_KEY: 'master.key',
  SMTP_URL: 'smtp.url',
  ...PAYMENT_SECRET_FILES,
  DATABASE_URL: 'database.url',
} as const;

/** Variables of the configuration, including secrets, and values with lower-case names: `user`, `people`, `backup`. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Reads the installation below the root; null if there is none yet. */
export function readInstallation(root: string): Values | null {
  const text = readTarget(root, SETTINGS_FILE);
  if (text === null) return null;
  // An empty value counts as unset, as it does for the service.
  const filled = Object.entries(parseSettings(text)).filter(([, value]) => value?.trim());
  const settings: Record<string, string | undefined> = Object.fromEntries(filled);
  for (const name of Object.keys(SECRET_FILES)) {
    const file = settings[`${name}_FILE`];
    if (file) settings[name] = readTarget(root, file)?.trim() || refuseLostFile(file);
  }
  // A start without MASTER_KEY generated this key; no other one would fit its records.
  const firstKey = toMasterKeyPath(settings['DATA_DIR'] ?? join(PROJECT_FOLDER, 'data'));
  const { DESK_RECIPIENTS, DESK_RECIPIENTS_FILE: peopleFile } = settings;
  const backup = / --to (\S+)/.exec(readTarget(root, BACKUP_UNIT_FILE) ?? '')?.[1];
  return {
    ...settings,
    MASTER_KEY: settings['MASTER_KEY'] ?? readTarget(root, firstKey)?.trim(),
    user: /^User=(.+)$/m.exec(readTarget(root, UNIT_FILE) ?? '')?.[1] ?? DEFAULT_USER,
    people: peopleFile ? (readTarget(root, peopleFile) ?? '') : toPeopleLines(DESK_RECIPIENTS).join('\n'),
    backup: backup && dirname(backup),
  };
}

/** Refuses to replace a lost secret: a new master key, for example, would not open the existing records. */
function refuseLostFile(file: string): never {
  throw new ProgramError(
    `${file} is named in ${SETTINGS_FILE}, but is missing or empty: put it back`,
    EXIT_CODES.config,
  );
}

/** A key without a name is an owner's. */
export function toPeopleLines(recipients = ''): string[] {
  const keys = recipients.split(',').filter((key) => key.trim() !== '');
  return keys.map((key, index) => `owner${index === 0 ? '' : index + 1} owner ${key.trim()}`);
}

export function listPeople(text: string) {
  const reader = new EnvironmentReader({});
  return { people: parsePeople(reader, text, 'people'), mistakes: reader.mistakes };
}

function readShipped(name: string): string {
  return readFileSync(join(PROJECT_FOLDER, 'deploy', name), 'utf8');
}

/** Returns the mistakes that the service would report; with `names`, only those about these variables. */
export function listMistakes(values: Values, names?: readonly string[]): readonly string[] {
  try {
    readConfig(toEnvironment(values));
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.mistakes.filter((mistake) => !names || names.includes(mistake.split(':')[0] ?? ''));
  }
}

/** The settings as the service will read them, but with the secrets instead of their files, which may not exist yet. */
function toEnvironment(values: Values): Record<string, string> {
  const settings = {
    ...parseSettings(readShipped('production.env')),
    MASTER_KEY: generateMasterKey(),
    ...values,
  };
  const inFiles = [...Object.keys(SECRET_FILES), 'DESK_RECIPIENTS'].map((name) => `${name}_FILE`);
  const variables = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined || inFiles.includes(name) || name !== name.toUpperCase() ? [] : [[name, value]],
  );
  const recipients = listPeople(values['people'] ?? '').people.map(({ recipient }) => recipient);
  return { ...Object.fromEntries(variables), DESK_RECIPIENTS: recipients.join() };
}

/** The beginning of a long line, or the name of a secret that an operator wrote into the settings. */
const SHOWN_PART = new RegExp(
  `^([ \\t]*(?:export[ \\t]+)?(?:${Object.keys(SECRET_FILES).join('|')})[ \\t]*=|.{100}).+$`,
);

/** A file, folder or link to be written, which may already exist. */
interface PlannedFile {
  readonly kind: 'folder' | 'link' | 'secret' | 'settings' | 'shipped';
  readonly path: string;
  /** The content of a file, or the target of a link. */
  readonly content: string;
  readonly mode: number;
  /** The previous content is still needed after a change, so it is retained beside the file with the same rights. */
  readonly isKept?: boolean;
  /** With `group`, the user's group can read it; with `user`, the user owns it; without either, root does. */
  readonly owner?: 'group' | 'user';
}

export interface Change extends PlannedFile {
  readonly isNew: boolean;
  /** Lines for the operator, which contain no secret. */
  readonly difference: readonly string[];
}

/** Returns the files in the order of writing: what the settings name, the settings, what starts with them. */
export function planFiles(root: string, values: Values): PlannedFile[] {
  const { user = DEFAULT_USER, backup = '', people = '', API_PATH: apiPath = SHIPPED_API } = values;
  const peopleFile = values['DESK_RECIPIENTS_FILE'] ?? `${SETTINGS_FOLDER}/people`;
  const settings: Values = {
    ...values,
    // Reuses the key of an interrupted setup, because records may already need it.
    MASTER_KEY:
      values['MASTER_KEY'] ??
      (readTarget(root, `${SETTINGS_FOLDER}/${SECRET_FILES.MASTER_KEY}`)?.trim() || generateMasterKey()),
    DESK_RECIPIENTS: undefined,
    DESK_RECIPIENTS_FILE: peopleFile,
  };
  const { port, metricsPort } = readPorts(root, settings);
  const shared = { mode: 0o640, owner: 'group' } as const;
  const folder = { kind: 'folder', content: '' } as const;
  const fill = (name: string, changes: readonly (readonly [string, string])[]) =>
    ({ kind: 'shipped', content: fillIn(readShipped(name), changes), mode: 0o644 }) as const;
  const service = [
    [SHIPPED_PROJECT, PROJECT],
    [`User=${DEFAULT_USER}`, `User=${user}`],
    [`Group=${DEFAULT_USER}`, `Group=${user}`],
  ] as const;
  const serve = values['SANDBOX'] === 'on' ? 'bin/office serve --with-sandbox' : 'bin/office serve';
  const copies = toCopiesFolder(values);
  const secrets = Object.keys(SECRET_FILES).filter((name) => settings[name]);
  return [
    { ...folder, path: SETTINGS_FOLDER, mode: 0o750, owner: 'group' },
    ...secrets.map((name): PlannedFile => {
      // The old database still has the records.
      const isKept = name === 'DATABASE_URL';
      const content = `${settings[name]}\n`;
      return { kind: 'secret', path: toSecretPath(values, name), content, isKept, ...shared };
    }),
    { kind: 'settings', path: peopleFile, content: people, ...shared },
    { kind: 'settings', path: SETTINGS_FILE, content: composeSettings(root, settings), ...shared },
    { path: UNIT_FILE, ...fill('inquiry-office.service', [...service, ['bin/office serve', serve]]) },
    {
      path: BACKUP_UNIT_FILE,
      ...fill('inquiry-office-backup.service', [...service, [SHIPPED_BACKUP, copies]]),
    },
    { path: TIMER_FILE, ...fill('inquiry-office-backup.timer', []) },
    // Does not create a missing folder, because its disk may not be mounted.
    ...(existsSync(join(root, backup))
      ? [{ ...folder, path: copies, mode: 0o700, owner: 'user' } as const]
      : []),
    { ...folder, path: dirname(CERTIFICATE_FILE), mode: 0o700 },
    {
      path: PROXY_FILE,
      ...fill('haproxy.cfg', [
        [SHIPPED_HOST, readHost(values)],
        [`${SHIPPED_API}/ready`, `${apiPath}/ready`],
        ['^/(api|', `^/(${apiPath.slice(1)}|`],
        [SHIPPED_PORT, `127.0.0.1:${port}`],
        // With one server no check is needed, because there is no other to switch to.
        [SHIPPED_CHECK, metricsPort === null ? '' : SHIPPED_CHECK.replace('9464', String(metricsPort))],
      ]),
    },
    { kind: 'link', path: `${PROJECT}/.env`, content: SETTINGS_FILE, mode: 0o777 },
    { kind: 'link', path: '/usr/local/bin/office', content: `${PROJECT}/bin/office`, mode: 0o777 },
  ];
}

export function toCopiesFolder({ backup = '' }: Values): string {
  return join(backup, BACKUP_SUBFOLDER);
}

function toSecretPath(values: Values, name: string): string {
  return values[`${name}_FILE`] ?? `${SETTINGS_FOLDER}/${SECRET_FILES[name as keyof typeof SECRET_FILES]}`;
}

/** Keeps the lines that the operator added, and those that do not change. */
function composeSettings(root: string, values: Values): string {
  let text = readTarget(root, SETTINGS_FILE) ?? readShipped('production.env');
  for (const [name, value] of Object.entries(values))
    if (name === name.toUpperCase() && !(name.replace('_FILE', '') in SECRET_FILES))
      text = setVariable(text, name, value);
  for (const name of Object.keys(SECRET_FILES)) {
    text = setVariable(text, name, undefined);
    text = setVariable(text, `${name}_FILE`, values[name] && toSecretPath(values, name));
  }
  return text;
}

/** Replaces all lines that set the variable by one, or by none. */
function setVariable(text: string, name: string, value: string | undefined): string {
  if (parseSettings(text)[name] === value) return text;
  const lines = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[^\\n]*(?:\\n|$)`, 'gm');
  let unwritten = value ? `${name}=${quote(value)}\n` : '';
  let next = text.replace(lines, () => {
    const written = unwritten;
    unwritten = '';
    return written;
  });
  if (unwritten) next = `${next.replace(/\n?$/, '\n')}${unwritten}`;
  const listOthers = (env: string) => Object.entries(parseSettings(env)).filter(([other]) => other !== name);
  const isRight = parseSettings(next)[name] === (value || undefined);
  if (isRight && isDeepStrictEqual(listOthers(next), listOthers(text))) return next;
  throw new ProgramError(
    `${name}: cannot be ${value ? 'written with these quotes' : `removed from ${SETTINGS_FILE}: remove it there`}`,
    EXIT_CODES.usage,
  );
}

/** Uses quotes that the value does not contain, if it needs any. */
function quote(value: string): string {
  const mark = /[#'"`\\]/.test(value) ? (['"', "'", '`'].find((each) => !value.includes(each)) ?? '') : '';
  return `${mark}${value}${mark}`;
}

/** Throws if the shipped file lacks a text that is to be replaced. */
function fillIn(text: string, changes: readonly (readonly [string, string])[]): string {
  let filled = text;
  for (const [shipped, own] of changes) {
    if (!text.includes(shipped)) throw new Error(`deploy/ has no ${shipped}`);
    filled = filled.replaceAll(shipped, () => own);
  }
  return filled;
}

/** The planned files that are not yet in place as planned. */
export function listChanges(
  root: string,
  planned: readonly PlannedFile[],
  user: SystemUser | null,
): Change[] {
  return planned.flatMap((file): Change[] => {
    const stats = lstatSync(join(root, file.path), { throwIfNoEntry: false });
    if (!stats) return [{ ...file, isNew: true, difference: describeDifference(file, '') }];
    if (file.kind === 'link') {
      // A file may be the operator's own.
      if (!stats.isSymbolicLink()) throw refusePlace(file.path, `be a link to ${file.content}`);
      const isRight = readlinkSync(join(root, file.path)) === file.content;
      return isRight ? [] : [{ ...file, isNew: false, difference: [] }];
    }
    if (file.kind === 'folder' && !stats.isDirectory()) throw refusePlace(file.path, 'be a folder itself');
    const before = file.kind === 'folder' ? '' : (readTarget(root, file.path) ?? '');
    const access = describeAccess(file, stats, user);
    if (before.trim() === file.content.trim() && access.length === 0) return [];
    const hasCopy = existsSync(join(root, `${file.path}.before`));
    const difference = [...access, ...describeDifference(file, before, hasCopy)];
    return [{ ...file, isNew: false, difference }];
  });
}

/** Lines about wrong rights or owners. The group of root's files is ignored. */
function describeAccess(file: PlannedFile, stats: FileAccess, user: SystemUser | null): string[] {
  const mode = stats.mode & 0o777;
  const right = toAccess(file, user ?? { uid: -1, gid: -1 });
  const owner = user ? `${right.uid}:${right.gid}` : "the new user's";
  const isOwned = stats.uid === right.uid && (file.owner === undefined || stats.gid === right.gid);
  return [
    ...(mode === file.mode ? [] : [`  mode ${mode.toString(8)}, will be ${file.mode.toString(8)}`]),
    ...(isOwned ? [] : [`  owner ${stats.uid}:${stats.gid}, will be ${owner}`]),
  ];
}

function toAccess({ mode, owner }: PlannedFile, user: SystemUser): FileAccess {
  const own = getOwnUser();
  return { mode, uid: owner === 'user' ? user.uid : own.uid, gid: owner ? user.gid : own.gid };
}

function refusePlace(path: string, expected: string): ProgramError {
  return new ProgramError(`${path} should ${expected}: move it away`, EXIT_CODES.cannotCreate);
}

/** Shows the difference in full if an earlier copy exists, because then the previous content is not copied. */
function describeDifference(
  { kind, content, path, isKept }: PlannedFile,
  before: string,
  hasCopy = false,
): string[] {
  if (kind === 'secret' && before !== content)
    return [
      `  a secret, not shown${isKept && before ? `; the previous one is saved as ${path}.before` : ''}`,
    ];
  // Of new files, only the settings are shown: they contain most of the answers.
  if (before === '' && path !== SETTINGS_FILE) return [];
  const [old, next] = [before, content].map((text) => text.split('\n'));
  const format = (mark: string, lines: readonly string[] = [], others: readonly string[] = []) =>
    lines
      .filter((line) => line !== '' && !others.includes(line) && (before !== '' || !line.startsWith('#')))
      .map((line) => `  ${mark} ${line.replace(SHOWN_PART, '$1…')}`);
  const lines = [...format('-', old, next), ...format('+', next, old)];
  return kind === 'shipped' && lines.length > LONGEST_DIFFERENCE && !hasCopy
    ? [`  many lines differ; the previous file is saved as ${path}.before`]
    : lines;
}

export async function writeChange(root: string, change: Change, user: SystemUser): Promise<void> {
  const { kind, isNew, content, isKept } = change;
  const path = join(root, change.path);
  const access = toAccess(change, user);
  try {
    await ensureFolder(kind === 'folder' ? path : dirname(path));
    removeDrafts(path);
    // The first file may be another program's, or changed by hand. Later ones are ours, and do not replace its copy.
    if (kind === 'shipped' && !isNew && !existsSync(`${path}.before`))
      await copyFile(path, `${path}.before`, constants.COPYFILE_EXCL);
    const earlier = isKept ? readTarget(root, change.path) : null;
    if (earlier !== null && earlier !== content) await writeWholeFile(`${path}.before`, earlier, access);
    if (kind === 'folder') {
      // Does not follow a symbolic link, whose target would change its owner.
      await using folder = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
      await folder.chown(access.uid, access.gid);
      await folder.chmod(access.mode);
    } else if (kind === 'link') {
      await symlink(content, `${path}.draft`);
      await rename(`${path}.draft`, path);
    } else await writeWholeFile(path, content, access);
  } catch (error) {
    if (error instanceof ProgramError) throw error;
    throw new ProgramError(`cannot write ${path}: ${formatFileFault(error)}`, EXIT_CODES.cannotCreate, error);
  }
}

/** Removes drafts that a killed setup has left beside the file. */
function removeDrafts(path: string): void {
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(`${basename(path)}.`) && name.endsWith('draft')) rmSync(join(dirname(path), name));
}

/** Lists lines that the service will refuse; the setup leaves them to the operator who wrote them. */
export function listRefusedLines(root: string, values: Values): readonly string[] {
  const reader = new EnvironmentReader({});
  reportLines(reader, SETTINGS_FILE, composeSettings(root, values));
  return reader.mistakes;
}

/** Reads the ports as the service will. */
export function readPorts(root: string, values: Values) {
  return readListeners(new EnvironmentReader(parseSettings(composeSettings(root, values))));
}

export function readHost({ SITE_URL = '' }: Values): string {
  return URL.canParse(SITE_URL) ? new URL(SITE_URL).hostname : 'localhost';
}
