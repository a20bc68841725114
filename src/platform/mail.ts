/** Sends e-mail by SMTP, or saves it as `.eml` files if no server is configured. */
import { join } from 'node:path';
import { replaceFile } from './atomic-file.ts';
import type { Config } from './config.ts';
import { generateId } from './ids.ts';

export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export type MailSender = (message: MailMessage) => Promise<void>;

const SMTP_MS = 20_000;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Loads the mail library with the first message, since most installations send few. */
export function createMailSender(config: Pick<Config, 'dataDir' | 'mail' | 'site'>): MailSender {
  const { smtpUrl, from } = config.mail;
  const sender = { name: config.site.name, address: from ?? config.site.maintainer };
  const send = smtpUrl ? createSmtpSender(smtpUrl) : createFolderSender(join(config.dataDir, 'mail'));
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
      requireTLS: !LOOPBACK.has(new URL(url).hostname),
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
