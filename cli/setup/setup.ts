/** The command that installs the service: asks, shows what would change, writes it, and lists what remains to do. */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock as clock } from '#platform/clock.ts';
import { ConfigError } from '#platform/config/config.ts';
import { PROJECT_FOLDER } from '#platform/config/environment.ts';
import { PAYMENT_PROVIDER, PAYMENT_VARIABLES, readKeyMode } from '#platform/config/payment-settings.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { type CommandReport, createCommand } from '../command.ts';
import { getIo } from '../terminal/io.ts';
import { formatCount, terminalSafe } from '../terminal/table.ts';
import { type Answers, collectAnswers, openDialogue } from './dialogue.ts';
import {
  CERTIFICATE_FILE,
  type Change,
  DEFAULT_USER,
  listChanges,
  listMistakes,
  listRefusedLines,
  PROXY_FILE,
  planFiles,
  readHost,
  readInstallation,
  readPorts,
  toCopiesFolder,
  type Values,
  writeChange,
} from './installed-files.ts';
import { findPortUser, findSystemUser, getOwnUser, readTarget, type SystemUser } from './machine.ts';
import { questions } from './questions.ts';

const run = promisify(execFile);
const UNITS = '/etc/systemd/system/';

export const setUpCommand = createCommand({
  usage: 'setup [OPTIONS]',
  about: `Install the service on this machine: settings, secrets, service unit, HAProxy file and backup timer.
Asks ${questions.length} questions, checks each answer at once, shows what would change, and asks before it writes. Run it again
to change an answer: whatever has not changed is left alone, and lines that you added to the settings are preserved.`,
  options: [
    ...questions.map(({ flag, value, text }) => [`--${flag} ${value}`, text] as const),
    ['--offline', 'do not contact other machines (DNS, mail server, database) to check answers'],
    ['--root DIR', 'write below this folder instead of /, for inspection'],
    ['--yes', 'ask nothing: use the options, then the existing settings, then the defaults'],
  ],
  work: async ({ offline = false, root = '/', yes = false, ...flags }) => {
    if (root === '/' && process.getuid?.() !== 0)
      throw new ProgramError('Run this as root, or try it with --root DIR', EXIT_CODES.noPermission);
    const before = readInstallation(root);
    const asking = { root, flags, before, isOffline: offline };
    const dialogue = yes ? null : openDialogue();
    try {
      const answers = await collectAnswers(asking, dialogue);
      const confirm = async () => !dialogue || (await dialogue.ask('\nWrite this? yes or no')) === 'yes';
      return await install(root, before, answers, confirm);
    } finally {
      dialogue?.close();
    }
  },
});

async function install(
  root: string,
  before: Values | null,
  { values, doubts }: Answers,
  confirm: () => Promise<boolean>,
): Promise<CommandReport> {
  const mistakes = listMistakes(values);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const { user = DEFAULT_USER } = values;
  // Below another root the files are only for inspection, which needs no user.
  const known = findSystemUser(root, user) ?? (root === '/' ? null : getOwnUser());
  const planned = planFiles(root, values);
  const changes = listChanges(root, planned, known);
  const lines = changes.flatMap(({ path, isNew, difference }) => [
    `${isNew ? 'new     ' : 'changed '} ${path}`,
    ...difference,
  ]);
  getIo().stderr.write(lines.map((line) => `${terminalSafe.text(line)}\n`).join(''));
  if (!known) getIo().stderr.write(`new      system user ${user}\n`);
  if (isDatabaseReplaced(before, values)) getIo().stderr.write(adviseBackup(before, values));
  const isNothing = changes.length === 0 && known !== null;
  if (!isNothing && !(await confirm())) throw new ProgramError('Nothing was written');
  const owner = known ?? (await makeSystemUser(user));
  for (const change of changes) await writeChange(root, change, owner);
  const unchanged = planned.length - changes.length;
  const todo = [
    ...listRefusedLines(root, values),
    ...doubts,
    ...listTakenPorts(root, values, owner),
    ...listRemaining(root, values, before, changes),
  ];
  const numbered = todo.map((line, index) => `  ${index + 1}. ${terminalSafe.line(line)}\n`).join('');
  return {
    text: `${isNothing ? 'Nothing has changed.' : `Wrote ${formatCount(changes.length, 'files')}, left ${unchanged} unchanged.`}\n${numbered && `\nStill to do:\n${numbered}`}`,
    json: { written: changes.map(({ path }) => path), unchanged, todo },
  };
}

function isDatabaseReplaced(before: Values | null, { DATABASE_URL }: Values): before is Values {
  return before !== null && before['DATABASE_URL'] !== DATABASE_URL;
}

/** Shown before anything is written: afterwards, a backup would contain the new database. */
function adviseBackup(before: Values, values: Values): string {
  return `
The database is about to change, and the records are in the old one. Once this is written, office.env names the new
database, so first stop the service and back up the records:
  systemctl stop inquiry-office
  sudo -u ${before['user']} office backup --to ${findCopies(before, values)}
`;
}

/** Returns a folder for backups that the user of the previous setup can write to. */
function findCopies(before: Values, values: Values): string {
  return toCopiesFolder(before['backup'] ? before : values);
}

async function makeSystemUser(user: string): Promise<SystemUser> {
  const account = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  const reason = await run('useradd', [...account, '--shell', '/usr/sbin/nologin', user]).then(
    () => 'it is not in /etc/passwd',
    (error: Error & { stderr?: string }) => error.stderr?.trim() || error.message,
  );
  const made = findSystemUser('/', user);
  if (made) return made;
  throw new ProgramError(
    `useradd did not create the user ${user} (${reason}); nothing was written`,
    EXIT_CODES.cannotCreate,
  );
}

/** Ignores ports of the service's own user, because the service itself may be running. */
function listTakenPorts(root: string, values: Values, owner: SystemUser): string[] {
  const { port, metricsPort } = readPorts(root, values);
  return Object.entries({ PORT: port, METRICS_PORT: metricsPort }).flatMap(([name, number]) => {
    const other = number === null ? null : findPortUser(root, number, owner);
    if (other === null) return [];
    return `Port ${number} is in use by a program of user ${other}: set another ${name} in office.env, then run this again.`;
  });
}

/** Lists, in order, the steps that only a person can take. */
function listRemaining(
  root: string,
  values: Values,
  before: Values | null,
  changes: readonly Change[],
): string[] {
  const {
    user,
    backup = '',
    people,
    RECOVERY_RECIPIENT: recovery,
    [PAYMENT_VARIABLES.key]: paymentKey,
  } = values;
  const hasMade = (part: string) => changes.some(({ path, isNew }) => isNew && path.includes(part));
  const isReplaced = changes.some(({ path, isNew }) => !isNew && path.startsWith(UNITS));
  const isConfigured = changes.some(({ kind }) => kind === 'secret' || kind === 'settings');
  const place = statSync(join(root, backup), { throwIfNoEntry: false });
  const work = [
    hasMade('/master.key') && 'Copy master.key to a place away from this machine and from the backups.',
    isDatabaseReplaced(before, values) &&
      `Before the restart, with a private key that opens the backup: sudo -u ${user} office restore --from ${findCopies(before, values)} --key FILE`,
    before &&
      (before['people'] !== people || before['RECOVERY_RECIPIENT'] !== recovery) &&
      `Before the restart, with a private key from before the change: sudo -u ${user} office keys reseal --key FILE`,
    isReplaced && 'systemctl daemon-reload',
    hasMade(UNITS) && 'systemctl enable --now inquiry-office inquiry-office-backup.timer',
    !hasMade('/inquiry-office.service') && (isReplaced || isConfigured) && 'systemctl restart inquiry-office',
    changes.some(({ path }) => path === PROXY_FILE) && 'systemctl restart haproxy',
    findCertificateWork(root, readHost(values)),
    place?.dev === statSync(root).dev && `${backup} is on the system disk: copy it to another machine.`,
    readKeyMode(paymentKey) !== 'live' &&
      `Before anyone can pay: "Going live with ${PAYMENT_PROVIDER}" in docs/operating.md.`,
    !before && 'Read every promise in content/ before you sell: "Your own texts" in docs/operating.md.',
    changes.length > 0 && `sudo -u ${user} office doctor`,
  ];
  return work.filter((line) => typeof line === 'string');
}

/** Returns null while the certificate of the proxy is valid. */
function findCertificateWork(root: string, host: string): string | null {
  const hook = join(PROJECT_FOLDER, 'deploy', 'renewed-certificate.sh');
  const order = `certbot certonly --standalone --http-01-port 8402 --domain ${host} --deploy-hook ${hook}`;
  const pem = readTarget(root, CERTIFICATE_FILE);
  if (pem === null) return order;
  try {
    const certificate = new X509Certificate(pem);
    if (certificate.validToDate.getTime() < clock.now()) return `The certificate has expired: ${order}`;
    return certificate.checkHost(host) ? null : `The certificate is not for ${host}: ${order}`;
  } catch {
    return `${CERTIFICATE_FILE} is not a certificate: ${order}`;
  }
}
