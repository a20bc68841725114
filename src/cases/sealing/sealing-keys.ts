/** Reads the public keys that cases are sealed to, or generates them at a first start outside production. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateFile } from '#platform/atomic-file.ts';
import type { Config } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { type AgeRecipient, deriveRecipient, generateAgeIdentity, isAgeRecipient } from '#seal/core/age.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';

export interface SealingKeys extends CaseKeyRecipients {
  /** Private keys found beside the service; the operator should move them elsewhere. */
  readonly privateKeyFiles: readonly string[];
  /** Identifies this set of keys. */
  readonly set: string;
}

/** Must never change, or every instance would refuse its records. */
const SET_CONTEXT = 'inquiry-office/sealing-set/v1';

type Role = 'desk' | 'recovery';
type KeyConfig = Pick<Config, 'seal' | 'dataDir' | 'store'>;

const purposes: Readonly<Record<Role, string>> = {
  desk: 'Opens every case. Move it to the investigator; the service needs only desk.pub.',
  recovery: 'Opens every case when all else is lost. Keep it offline; the service needs only recovery.pub.',
};

const variables: Readonly<Record<Role, string>> = {
  desk: 'DESK_RECIPIENTS',
  recovery: 'RECOVERY_RECIPIENT',
};

/** For a first start. In production the configuration requires recipients, so no keys are generated there. */
export async function loadSealingKeys(config: KeyConfig): Promise<SealingKeys> {
  return await collectSealingKeys(config, loadOrCreateSealingKey);
}

/** For records that already have a set of keys: a newly generated key could not open them. */
export async function readSealingKeys(config: KeyConfig): Promise<SealingKeys> {
  return await collectSealingKeys(config, async (role, folder) => {
    const publicFile = join(folder, `${role}.pub`);
    if (existsSync(publicFile)) return await loadOrCreateSealingKey(role, folder);
    throw new ProgramError(
      `${publicFile}: missing, but these records are sealed to its key. Put the file back, or set ${variables[role]}`,
      EXIT_CODES.config,
    );
  });
}

async function collectSealingKeys(
  config: KeyConfig,
  loadKey: typeof loadOrCreateSealingKey,
): Promise<SealingKeys> {
  const { seal, dataDir } = config;
  const folder = join(dataDir, 'keys');
  requireSharedSealingKeys(config);
  for (const { name, recipient } of seal.people)
    requireRecipient(recipient, `DESK_RECIPIENTS_FILE: the public key of ${name} is damaged`);
  for (const configured of [...seal.desk, ...(seal.recovery ? [seal.recovery] : [])])
    requireRecipient(configured, 'DESK_RECIPIENTS, RECOVERY_RECIPIENT: a public key is damaged');
  const desk = seal.desk.length > 0 ? null : await loadKey('desk', folder);
  const recovery = seal.recovery ? null : await loadKey('recovery', folder);
  const holders = {
    desk: desk ? [desk.recipient] : seal.desk,
    recovery: recovery?.recipient ?? (seal.recovery as AgeRecipient),
  };
  return {
    ...holders,
    set: computeRecipientSetTag(holders),
    privateKeyFiles: [desk, recovery].flatMap((key) => key?.privateFile ?? []),
  };
}

/** Returns the same tag for the same keys in any order. */
export function computeRecipientSetTag({ desk, recovery }: CaseKeyRecipients): string {
  const lines = [SET_CONTEXT, ...[...new Set(desk)].toSorted(), `recovery ${recovery}`];
  return createHash('sha256').update(lines.join('\n')).digest('base64url');
}

/** Otherwise each machine would generate its own keys, and a case would open only with those of one machine. */
export function requireSharedSealingKeys({ seal, dataDir, store }: KeyConfig): void {
  if (store.databaseUrl === null || (seal.desk.length > 0 && seal.recovery)) return;
  const missing = seal.desk.length === 0 ? 'DESK_RECIPIENTS' : 'RECOVERY_RECIPIENT';
  throw new ProgramError(
    `${missing}: expected when DATABASE_URL is set, since all instances must seal to the same keys (bin/office keys new; keys that an earlier version made are in ${join(dataDir, 'keys')}, *.pub)`,
    EXIT_CODES.config,
  );
}

function requireRecipient(text: string, fault: string): void {
  if (!isAgeRecipient(text)) throw new ProgramError(`${fault}; copy it again`, EXIT_CODES.config);
}

interface SealingKey {
  readonly recipient: AgeRecipient;
  /** Null once the operator has moved the file away: the service needs only the public key. */
  readonly privateFile: string | null;
}

/** Writes the private key first, so that no case is ever sealed to a key whose private part is missing. */
export async function loadOrCreateSealingKey(role: Role, folder: string): Promise<SealingKey> {
  const publicFile = join(folder, `${role}.pub`);
  const privateFile = join(folder, `${role}.key`);
  const recipient = await readOrCreateFile(publicFile, async () => {
    const text = await readOrCreateFile(
      privateFile,
      async () => (await generateKeyFile(purposes[role])).text,
    );
    return `${await deriveRecipient(parseIdentity(text, privateFile))}\n`;
  });
  if (!/^age1pq1\w+\n?$/.test(recipient))
    throw new ProgramError(`${publicFile}: not a public key`, EXIT_CODES.config);
  return { recipient: recipient.trim(), privateFile: existsSync(privateFile) ? privateFile : null };
}

/** A personal key, which the service itself never generates. */
export async function generateDeskKeyFile(name: string): Promise<GeneratedKeyFile> {
  return await generateKeyFile(
    `The desk key of ${name}: opens every case. It stays with this person and no one else.`,
  );
}

interface GeneratedKeyFile {
  readonly recipient: AgeRecipient;
  /** For age this is an identity file. */
  readonly text: string;
}

async function generateKeyFile(purpose: string): Promise<GeneratedKeyFile> {
  const identity = await generateAgeIdentity();
  const recipient = await deriveRecipient(identity);
  return { recipient, text: `# ${purpose}\n# public key: ${recipient}\n${identity}\n` };
}

function parseIdentity(text: string, file: string): string {
  const identity = text.split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-PQ-1'));
  if (identity === undefined) throw new ProgramError(`${file}: not a private key`, EXIT_CODES.config);
  return identity;
}
