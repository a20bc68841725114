/** The settings of e-mail: the server, whose certificate to trust, and the sender. */
import type { EnvironmentReader } from './environment.ts';
import { isLoopbackHost } from './networks.ts';

export const MAIL_ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** Harmless for every server. */
const URL_OPTIONS = ['tls.servername', 'name', 'authMethod'];
/** Give up encryption or the check of the certificate: only where nothing leaves the machine. */
const LOOPBACK_OPTIONS = ['ignoreTLS', 'tls.rejectUnauthorized'];

export function readMail(reader: EnvironmentReader) {
  const smtpUrl = reader.readSecret('SMTP_URL') ?? null;
  if (smtpUrl) checkSmtpUrl(reader, smtpUrl);
  const from = reader.readText('MAIL_FROM') ?? null;
  if (from && !MAIL_ADDRESS.test(from)) reader.addMistake('MAIL_FROM', 'an e-mail address');
  if (smtpUrl && !from) reader.addMistake('MAIL_FROM', 'an e-mail address when SMTP_URL is set');
  return { smtpUrl, caFile: reader.readText('SMTP_CA_FILE') ?? null, from };
}

/** Options in the address win over those that the service sets, so only known ones are let through. */
function checkSmtpUrl(reader: EnvironmentReader, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!(url && /^smtps?:$/.test(url.protocol) && url.hostname !== '')) {
    reader.addMistake('SMTP_URL', 'smtp://user:password@host:port or smtps://…');
    return;
  }
  const allowed = isLoopbackHost(url.hostname) ? [...URL_OPTIONS, ...LOOPBACK_OPTIONS] : URL_OPTIONS;
  if ([...url.searchParams.keys()].some((name) => !allowed.includes(name)))
    reader.addMistake(
      'SMTP_URL',
      `no options but ${URL_OPTIONS.join(', ')}; for a server on this machine also ${LOOPBACK_OPTIONS.join(', ')}`,
    );
}
