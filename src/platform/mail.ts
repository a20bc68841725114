/** Sends e-mail by SMTP, or saves it as `.eml` files if no server is configured. */
import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './atomic-file.ts';
import type { Config } from './config.ts';
import { DAY_MS } from './durations.ts';
import { generateId } from './ids.ts';
import { isLoopbackHost } from './networks.ts';

export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export type MailSender = (message: MailMessage) => Promise<void>;

const SMTP_MS = 20_000;
/** How long an e-mail stays as a file: it may contain an address, a code or a link. */
const FILE_LIFETIME_MS = DAY_MS;

/** Loads the mail library with the first message, since most installations send few. */
export function createMailSender(config: Pick<Config, 'dataDir' | 'mail' | 'site'>): MailSender {
  const { smtpUrl, from } = config.mail;
  const sender = { name: config.site.name, address: from ?? config.site.maintainer };
  const send = smtpUrl ? createSmtpSender(smtpUrl) : createFolderSender(toMailFolder(config));
  return async ({ to, subject, text }) =>
    // An object, so that one address is never parsed as a list.
    await send({ from: sender, to: { name: '', address: to }, subject, text });
}

interface AddressedMessage extends Omit<MailMessage, 'to'> {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: { readonly name: string; readonly address: string };
}

function createSmtpSender(url: string): (message: AddressedMessage) => Promise<void> {
  return async (message) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url,
      // A message may contain a sign-in code, so it leaves this machine only encrypted.
      requireTLS: !isLoopbackHost(new URL(url).hostname),
      connectionTimeout: SMTP_MS,
      greetingTimeout: SMTP_MS,
      socketTimeout: SMTP_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail(message);
    } finally {
      transport.close();
    }
  };
}

function createFolderSender(folder: string): (message: AddressedMessage) => Promise<void> {
  return async (message) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message: bytes } = await transport.sendMail(message);
    await replaceFile(join(folder, `${Date.now()}-${generateId()}.eml`), (bytes as Buffer).toString());
  };
}

/** Removes e-mails that were saved as files more than a day ago, and what a killed process left half written. */
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
