/** The eight questions of the setup: what an answer means, its default, and how it is checked at once. */
import { lookup } from 'node:dns/promises';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, normalize } from 'node:path';
import { parseEnv } from 'node:util';
import { splitSmtpUrl } from '#platform/config/mail-settings.ts';
import {
  PAYMENT_KEY_START,
  PAYMENT_OPTION,
  PAYMENT_PROVIDER,
  PAYMENT_VARIABLES,
  readKeyMode,
} from '#platform/config/payment-settings.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { checkSmtpServer } from '#platform/mail/smtp.ts';
import { isAgeRecipient } from '#seal/core/age.ts';
import { checkPostgres } from '#store/engine/postgres.ts';
import { createUsageFailure } from '../command.ts';
import { readTextFile } from '../terminal/typed-text.ts';
import { DEFAULT_USER, listPeople, readHost, toPeopleLines, type Values } from './installed-files.ts';
import { findSystemUser } from './machine.ts';

export interface Question {
  readonly flag: string;
  /** The placeholder after the flag in the help. */
  readonly value: string;
  readonly text: string;
  /** Not shown while it is typed; a command line names a file with the secret instead. */
  readonly isSecret?: boolean;
  /** The variables that it asks for; an earlier setup has set all of them. */
  readonly names: readonly string[];
  /** Further variables that the answer decides. */
  readonly decides?: readonly string[];
  /** The default answer; empty if only the operator can know it. */
  readonly propose: () => string;
  /** Throws a ProgramError for an answer that cannot be used. */
  readonly parse: (answer: string, known: Values) => Values | Promise<Values>;
  /** Returns null if all is well, else a sentence: the answer may still be right later. */
  readonly check?: (known: Values, root: string) => Promise<string | null>;
}

const MAX_MISTAKES = 3;
/** Hidden by ProtectHome and PrivateTmp in the unit of the backup. */
const HIDDEN_PLACES = /^\/(?:home|root|run\/user|tmp|var\/tmp)(?:\/|$)/;
const USER_NAME = /^[a-z_][a-z0-9_-]{0,31}$/;

const OPERATOR_PARTS = 'NAME; POSTAL ADDRESS; LAW; E-MAIL';
const OPERATOR_NAMES = ['OPERATOR_NAME', 'OPERATOR_ADDRESS', 'OPERATOR_LAW', 'MAINTAINER_EMAIL'];

/** The order matters: an answer may depend on those before it. */
export const questions: readonly Question[] = [
  {
    flag: 'site',
    value: 'ADDRESS',
    text: 'Address of the site, such as https://office.example',
    names: ['SITE_URL'],
    propose: () => (hostname().includes('.') ? `https://${hostname()}` : ''),
    parse: (answer) => ({
      SITE_URL: /^[\w.-]+$/.test(answer) ? `https://${answer}` : answer.replace(/\/$/, ''),
    }),
    check: async (known) => {
      const host = readHost(known);
      try {
        await lookup(host);
        return null;
      } catch (error) {
        return `The name ${host} does not resolve yet (${readErrorCode(error)}): it needs an A or AAAA record with this machine's address.`;
      }
    },
  },
  {
    flag: 'operator',
    value: `"${OPERATOR_PARTS}"`,
    text: 'Operator, as named on the site: name; postal address; country or state whose law applies; e-mail address',
    names: OPERATOR_NAMES,
    propose: () => '',
    parse: (answer, known) => {
      const parts = answer.split(';').map((part) => part.trim());
      const [name, address, law, email = `maintainer@${readHost(known)}`] = parts;
      if (!(name && address && law) || parts.length > OPERATOR_NAMES.length)
        throw createUsageFailure(`Separate ${OPERATOR_PARTS} by semicolons`);
      return { OPERATOR_NAME: name, OPERATOR_ADDRESS: address, OPERATOR_LAW: law, MAINTAINER_EMAIL: email };
    },
  },
  {
    flag: 'user',
    value: 'NAME',
    text: 'System user that the service runs as; created if it does not exist',
    names: ['user'],
    propose: () => DEFAULT_USER,
    parse: (answer) => {
      if (!USER_NAME.test(answer) || answer === 'root')
        throw createUsageFailure(
          'The user name may contain only lower-case letters, digits, _ and -, and must not be root',
        );
      return { user: answer };
    },
    // Throws for a user without a group of their own.
    check: async ({ user: name = DEFAULT_USER }, root) => {
      findSystemUser(root, name);
      return null;
    },
  },
  {
    flag: 'mail',
    value: 'FILE',
    text: "Mail server: smtp://user:password@host:587, or a file that contains it; after a semicolon the sender, unless it is the operator's address",
    isSecret: true,
    names: ['SMTP_URL', 'MAIL_FROM'],
    propose: () => 'smtp://localhost:25',
    parse: async (answer, { MAINTAINER_EMAIL }) => {
      const text = await readSecret(answer, /^smtps?:/);
      const [smtpUrl = '', from = MAINTAINER_EMAIL] = text.split(';').map((part) => part.trim());
      return { SMTP_URL: smtpUrl, MAIL_FROM: from };
    },
    check: async ({ SMTP_URL = '' }) => await checkSmtpServer(splitSmtpUrl(SMTP_URL)),
  },
  {
    flag: PAYMENT_OPTION,
    value: 'FILE|later|sandbox',
    text: `${PAYMENT_PROVIDER}: restricted key and webhook secret, or a file with both; "later", or "sandbox" to rehearse without money`,
    isSecret: true,
    names: ['NODE_ENV'],
    decides: [...Object.values(PAYMENT_VARIABLES), 'SANDBOX'],
    propose: () => 'later',
    parse: async (answer) => {
      const { key: keyName, webhookSecret } = PAYMENT_VARIABLES;
      const none = { [keyName]: undefined, [webhookSecret]: undefined, SANDBOX: undefined };
      if (answer === 'later') return { ...none, NODE_ENV: 'production' };
      if (answer === 'sandbox') return { ...none, NODE_ENV: 'development', SANDBOX: 'on' };
      const text = await readSecret(answer, PAYMENT_KEY_START);
      const [key = '', secret, ...rest] = text.split(/[\s;]+/).filter(Boolean);
      if (!secret || rest.length > 0)
        throw createUsageFailure(`${PAYMENT_PROVIDER} needs a key and the secret of its webhook`);
      const NODE_ENV = readKeyMode(key) === 'test' ? 'development' : 'production';
      return { ...none, [keyName]: key, [webhookSecret]: secret, NODE_ENV };
    },
  },
  {
    flag: 'database',
    value: 'sqlite|local|FILE',
    text: 'Database: "sqlite"; "local" for PostgreSQL on this machine; or postgres://user:password@host/database, or a file that contains it',
    isSecret: true,
    names: ['NODE_ENV'],
    decides: ['DATABASE_URL'],
    propose: () => 'sqlite',
    parse: async (answer, { user: name = DEFAULT_USER }) => {
      if (answer === 'sqlite') return { DATABASE_URL: undefined };
      // Connects through the socket, where the system identifies the user: no password is needed.
      if (answer === 'local')
        return { DATABASE_URL: `postgres://${name}@localhost/${name}?host=/var/run/postgresql` };
      return { DATABASE_URL: await readSecret(answer, /^postgres(?:ql)?:/) };
    },
    check: async ({ DATABASE_URL, user: name = DEFAULT_USER }, root) =>
      DATABASE_URL ? await checkDatabase(DATABASE_URL, findSystemUser(root, name)?.uid) : null,
  },
  {
    flag: 'people',
    value: 'FILE',
    text: 'People of the desk: a file with the output of "office keys new" from an investigator\'s machine, and lines NAME ROLE KEY',
    names: ['people', 'RECOVERY_RECIPIENT'],
    propose: () => '',
    parse: async (answer, { RECOVERY_RECIPIENT }) => {
      const lines = (await readTextFile(answer)).split('\n');
      const isPerson = (line: string) => !/^\w+=/.test(line);
      const printed = parseEnv(lines.filter((line) => !isPerson(line)).join('\n'));
      const text = [...toPeopleLines(printed['DESK_RECIPIENTS']), ...lines.filter(isPerson), ''].join('\n');
      const recovery = printed['RECOVERY_RECIPIENT'] ?? RECOVERY_RECIPIENT;
      const found = listPeople(text);
      const damaged = found.people.find(({ recipient }) => !isAgeRecipient(recipient));
      if (found.mistakes.length > 0) throw createUsageFailure(`${answer}: ${listFirst(found.mistakes)}`);
      if (damaged) throw createUsageFailure(`${answer}: the public key of ${damaged.name} is damaged`);
      if (!recovery || !isAgeRecipient(recovery))
        throw createUsageFailure(`${answer}: a line RECOVERY_RECIPIENT=age1pq1… is missing or damaged`);
      return { people: text, RECOVERY_RECIPIENT: recovery };
    },
  },
  {
    flag: 'backup',
    value: 'FOLDER',
    text: 'Folder for backups, on another disk if there is one',
    names: ['backup'],
    propose: () => '/var/backups',
    parse: (answer) => {
      // The path is written into a systemd unit without quotes.
      if (!/^\/[\w./-]+$/.test(answer))
        throw createUsageFailure('The folder must be an absolute path without spaces');
      const folder = normalize(answer).replace(/\/$/, '');
      if (HIDDEN_PLACES.test(folder))
        throw createUsageFailure(`The service cannot see ${folder}: choose a folder such as /var/backups`);
      return { backup: folder };
    },
    check: async ({ backup: folder = '' }, root) =>
      statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory()
        ? null
        : `${folder} does not exist, or is not a folder: mount the disk, or make the folder.`,
  },
];

/** Lists only the first mistakes: a wrong file has one in each line. */
function listFirst(mistakes: readonly string[]): string {
  const left = mistakes.length - MAX_MISTAKES;
  return [...mistakes.slice(0, MAX_MISTAKES), ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

/** The answer itself, or the content of the file that it names. A mistyped secret is not repeated. */
async function readSecret(answer: string, pattern: RegExp): Promise<string> {
  if (pattern.test(answer)) return answer;
  try {
    return await readTextFile(answer);
  } catch (error) {
    throw createUsageFailure(
      `This is neither a usable answer nor the name of a file that contains one (${readErrorCode((error as Error).cause)})`,
    );
  }
}

/** Connects to a socket as the service's user, if there is one: PostgreSQL identifies its clients by user. */
async function checkDatabase(url: string, uid: number | undefined): Promise<string | null> {
  if (!new URL(url).searchParams.get('host')?.startsWith('/')) return await checkPostgres(url);
  if (uid === undefined || process.getuid?.() !== 0) return null;
  process.seteuid?.(uid);
  try {
    return await checkPostgres(url);
  } finally {
    process.seteuid?.(0);
  }
}
