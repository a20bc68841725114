/** The public keys that cases are sealed to: configured, or generated at a first start outside production. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateFile } from '#platform/atomic-file.ts';
import type { Config } from '#platform/config.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { type AgeRecipient, deriveRecipient, generateAgeIdentity, isAgeRecipient } from '#seal/age.ts';
import type { CaseKeyHolders } from '#seal/case-key.ts';

export interface SealingKeys extends CaseKeyHolders {
  /** Private keys found beside the service; the operator should move them elsewhere. */
  readonly privateKeyFiles: readonly string[];
}

type Role = 'desk' | 'recovery';

const purposes: Readonly<Record<Role, string>> = {
  desk: 'Opens every case. Move it to the investigator; the service needs only desk.pub.',
  recovery: 'Opens every case when all else is lost. Keep it offline; the service needs only recovery.pub.',
};

/** In production the configuration requires recipients, so no keys are generated there. */
export async function loadSealingKeys({
  seal,
  dataDir,
}: Pick<Config, 'seal' | 'dataDir'>): Promise<SealingKeys> {
  const folder = join(dataDir, 'keys');
  for (const configured of [...seal.desk, ...(seal.recovery ? [seal.recovery] : [])])
    requireRecipient(configured, 'DESK_RECIPIENTS, RECOVERY_RECIPIENT');
  const desk = seal.desk.length > 0 ? null : await loadOrCreateSealingKey('desk', folder);
  const recovery = seal.recovery ? null : await loadOrCreateSealingKey('recovery', folder);
  return {
    desk: desk ? [desk.recipient] : seal.desk,
    recovery: recovery?.recipient ?? (seal.recovery as AgeRecipient),
    privateKeyFiles: [desk, recovery].flatMap((key) => key?.privateFile ?? []),
  };
}

function requireRecipient(text: string, variables: string): void {
  if (!isAgeRecipient(text))
    throw new StartError(`${variables}: a public key is damaged; copy it again`, EXIT_CODES.config);
}

interface SealingKey {
  readonly recipient: AgeRecipient;
  /** Null once the operator has moved it away: the service needs only the public key. */
  readonly privateFile: string | null;
}

/** Writes the private key first, so that no case is ever sealed to a key that nobody has. */
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
    throw new StartError(`${publicFile}: not a public key`, EXIT_CODES.config);
  return { recipient: recipient.trim(), privateFile: existsSync(privateFile) ? privateFile : null };
}

/** A key of one person's own, which the service never makes. */
export async function generateDeskKeyFile(name: string): Promise<GeneratedKeyFile> {
  return await generateKeyFile(`The desk key of ${name}: opens every case. It stays with this person alone.`);
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
  if (identity === undefined) throw new StartError(`${file}: not a private key`, EXIT_CODES.config);
  return identity;
}
