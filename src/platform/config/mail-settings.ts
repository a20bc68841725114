/** The settings of e-mail: the server, whose certificate to trust, the sender, and where the desk gets its e-mails. */

import { isLoopbackHost } from '../net/networks.ts';
import type { EnvironmentReader } from './environment.ts';

export const MAIL_ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** Harmless for every server. */
const URL_OPTIONS = ['tls.servername', 'name', 'authMethod'];
/** Give up encryption or the check of the certificate: only where nothing leaves the machine. */
const LOOPBACK_OPTIONS = ['ignoreTLS', 'tls.rejectUnauthorized'];

export function readMail(reader: EnvironmentReader, maintainer: string) {
  const smtpUrl = reader.readSecret('SMTP_URL') ?? null;
  if (smtpUrl) checkSmtpUrl(reader, smtpUrl);
  const from = reader.readText('MAIL_FROM') ?? null;
  if (from && !MAIL_ADDRESS.test(from)) reader.addMistake('MAIL_FROM', 'an e-mail address');
  if (smtpUrl && !from) reader.addMistake('MAIL_FROM', 'an e-mail address when SMTP_URL is set');
  const desk = reader.readText('DESK_MAIL') ?? null;
  if (desk && !MAIL_ADDRESS.test(desk)) reader.addMistake('DESK_MAIL', 'an e-mail address');
  return { smtpUrl, caFile: reader.readText('SMTP_CA_FILE') ?? null, from, desk: desk ?? maintainer };
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
