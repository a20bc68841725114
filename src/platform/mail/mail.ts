/** Sends e-mail by SMTP, or saves it as `.eml` files if no server is configured. */
import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureFolder, replaceFile } from '../atomic-file.ts';
import type { Config } from '../config/config.ts';
import { DAY_MS } from '../durations.ts';
import { generateId } from '../text/ids.ts';
import { checkSmtpServer, type SmtpMessage, sendBySmtp } from './smtp.ts';

export interface MailMessage {
  /** Becomes the Message-ID. An e-mail that is sent again after a lost answer keeps it and can be recognised. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Leaves out the name of the site, which a locked screen would show. */
  readonly unsigned?: boolean;
}

export type EmailText = Omit<MailMessage, 'id'>;

export type MailSender = (message: MailMessage) => Promise<void>;

/** Asks other programs, such as out-of-office responders, not to answer (RFC 3834 §5). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' } as const;

/** How long an e-mail is stored as a file: it may contain an address, a code or a link. */
const FILE_LIFETIME_MS = DAY_MS;

export function createMailSender(config: Pick<Config, 'dataDir' | 'mail' | 'site'>): MailSender {
  const { smtpUrl, caFile, from } = config.mail;
  const sender = { name: config.site.name, address: from ?? config.site.maintainer };
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  const send = smtpUrl
    ? (message: SmtpMessage) => sendBySmtp({ smtpUrl, caFile }, message)
    : createFolderSender(toMailFolder(config));
  return async ({ id, to, subject, text, unsigned = false }) =>
    await send({
      messageId: `<${id}@${domain}>`,
      from: unsigned ? { ...sender, name: '' } : sender,
      // An object, so that one address is never parsed as a list.
      to: { name: '', address: to },
      subject,
      text,
      headers: AUTOMATIC,
    });
}

/** Returns null if the mail server would accept an e-mail, or none is configured; else a sentence for the operator. */
export async function checkMail({ mail: { smtpUrl, caFile } }: Pick<Config, 'mail'>): Promise<string | null> {
  return smtpUrl === null ? null : await checkSmtpServer({ smtpUrl, caFile });
}

/** Runs at startup, so that an operator who waits for the first e-mail finds the folder. Returns the fault, or null. */
export async function ensureMailFolder(config: Pick<Config, 'dataDir' | 'mail'>): Promise<string | null> {
  if (config.mail.smtpUrl !== null) return null;
  return await ensureFolder(toMailFolder(config)).then(
    () => null,
    (error: Error) => `${error.message}.`,
  );
}

function createFolderSender(folder: string): (message: SmtpMessage) => Promise<void> {
  return async (message) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message: bytes } = await transport.sendMail(message);
    await replaceFile(join(folder, `${Date.now()}-${generateId()}.eml`), (bytes as Buffer).toString());
  };
}

/** Removes e-mails that were saved as files more than a day ago, and partial files left by a killed process. */
export async function removeOldMail(config: Pick<Config, 'dataDir'>, now: number): Promise<void> {
  const folder = toMailFolder(config);
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    // Another process may have removed it.
    const written = await stat(file).catch(() => null);
    if (written && written.mtimeMs < now - FILE_LIFETIME_MS) await rm(file, { force: true });
  }
}

function toMailFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'mail');
}
