/** The settings of e-mail: the server, whose certificate to trust, and the sender. */
import { resolve } from 'node:path';
import { isLoopbackHost } from '../net/networks.ts';
import { type EnvironmentReader, PROJECT_FOLDER } from './environment.ts';

export const MAIL_ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** A file with the only certificates to trust. */
const CA_OPTION = 'ca';
/** Options that are harmless with any server. */
const URL_OPTIONS = [CA_OPTION, 'tls.servername', 'name', 'authMethod'];
/** Options that turn off encryption or the certificate check: allowed only if nothing leaves the machine. */
const LOOPBACK_OPTIONS = ['ignoreTLS', 'tls.rejectUnauthorized'];

export function readMail(reader: EnvironmentReader) {
  const url = reader.readSecret('SMTP_URL') ?? null;
  const isUsable = url !== null && checkSmtpUrl(reader, url);
  const from = reader.readText('MAIL_FROM') ?? null;
  if (from && !MAIL_ADDRESS.test(from)) reader.addMistake('MAIL_FROM', 'an e-mail address');
  if (url && !from) reader.addMistake('MAIL_FROM', 'an e-mail address when SMTP_URL is set');
  return { ...(isUsable ? splitSmtpUrl(url) : { smtpUrl: url, caFile: null }), from };
}

/** Removes the `ca` option, which the mail library does not know. */
export function splitSmtpUrl(text: string): { readonly smtpUrl: string; readonly caFile: string | null } {
  const url = new URL(text);
  const caFile = url.searchParams.get(CA_OPTION);
  if (caFile === null) return { smtpUrl: text, caFile };
  url.searchParams.delete(CA_OPTION);
  return { smtpUrl: url.href, caFile: resolve(PROJECT_FOLDER, caFile) };
}

/** Options in the URL override those that the service sets, so only known ones are allowed. */
function checkSmtpUrl(reader: EnvironmentReader, text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!(url && /^smtps?:$/.test(url.protocol) && url.hostname !== '')) {
    reader.addMistake('SMTP_URL', 'smtp://user:password@host:port or smtps://…');
    return false;
  }
  const allowed = isLoopbackHost(url.hostname) ? [...URL_OPTIONS, ...LOOPBACK_OPTIONS] : URL_OPTIONS;
  if ([...url.searchParams.keys()].some((name) => !allowed.includes(name)))
    reader.addMistake(
      'SMTP_URL',
      `no options except ${URL_OPTIONS.join(', ')}; for a server on this machine also ${LOOPBACK_OPTIONS.join(', ')}`,
    );
  return true;
}
