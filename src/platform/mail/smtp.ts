/** Connects to the mail server: sends a message, or checks that the server would accept one. */
import { readFile } from 'node:fs/promises';
import type { Transporter } from 'nodemailer';
import { MINUTE_MS, SECOND_MS } from '../durations.ts';
import { readErrorCode } from '../error-code.ts';
import { isLoopbackHost } from '../net/networks.ts';
import { MailFault, toMailFault } from './mail-fault.ts';

export interface SmtpSettings {
  readonly smtpUrl: string;
  /** PEM of the only certificates to trust; null for the public authorities. */
  readonly caFile: string | null;
}

/** For each step: connect, greeting, an answer. */
const STEP_MS = 20 * SECOND_MS;
/** For everything; shorter than the lease of an outbox entry, so that no other process sends it meanwhile. */
export const SENDING_MS = MINUTE_MS;
/** Short, because the startup report waits for it. */
const CHECK_MS = 5 * SECOND_MS;

export type SmtpMessage = Parameters<Transporter['sendMail']>[0];

export async function sendBySmtp(settings: SmtpSettings, message: SmtpMessage): Promise<void> {
  await withTransport(settings, SENDING_MS, (transport) => transport.sendMail(message));
}

/** Connects and logs in. Returns null if that worked, else a sentence for the operator. */
export async function checkSmtpServer(settings: SmtpSettings): Promise<string | null> {
  try {
    await withTransport(settings, CHECK_MS, (transport) => transport.verify());
    return null;
  } catch (error) {
    return (error as MailFault).message;
  }
}

/** Every failure is a MailFault. Loads the mail library on demand, since most installations send few e-mails. */
async function withTransport(
  settings: SmtpSettings,
  limitMs: number,
  work: (transport: Transporter) => Promise<unknown>,
): Promise<void> {
  const { hostname, host } = new URL(settings.smtpUrl);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: settings.smtpUrl,
    // A message may contain a sign-in code, so it leaves this machine only encrypted.
    requireTLS: !isLoopbackHost(hostname),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(settings.caFile === null ? {} : { tls: { ca: await readTrustedCertificates(settings.caFile) } }),
  });
  try {
    await limitTime(work(transport), limitMs);
  } catch (error) {
    throw toMailFault(error, host);
  } finally {
    transport.close();
  }
}

async function readTrustedCertificates(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new MailFault(
      `The certificates of SMTP_URL (?ca=${file}) cannot be read (${readErrorCode(error)}).`,
      error,
    );
  }
}

async function limitTime(work: Promise<unknown>, limitMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })), limitMs);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
