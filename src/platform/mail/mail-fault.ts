/** Says in a sentence why a mail server did not accept an e-mail, without quoting the e-mail or the server's words. */
import { readErrorCode } from '../error-code.ts';

/** Its message is for the operator, and has neither an address nor a secret. */
export class MailFault extends Error {
  constructor(sentence: string, cause: unknown) {
    super(sentence, { cause });
    this.name = 'MailFault';
  }
}

const SELF_MADE =
  'shows a certificate that no known authority has signed; if the server is yours, put its certificate in a file and name the file in SMTP_URL: ?ca=FILE';
const UNKNOWN_HOST = 'cannot be found: the name in SMTP_URL is wrong, or the name service does not answer';
const SILENT = 'does not answer: a wrong address or port in SMTP_URL, or a firewall';
const HUNG_UP = 'closed the connection';

/** Keyed by the code of the system or TLS, which is the most specific, or else by that of the mail library. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: it is not running, or SMTP_URL has the wrong port',
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EDNS: UNKNOWN_HOST,
  EHOSTUNREACH: SILENT,
  ENETUNREACH: SILENT,
  ETIMEDOUT: SILENT,
  ECONNRESET: HUNG_UP,
  EPIPE: HUNG_UP,
  ECONNECTION: HUNG_UP,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_MADE,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_MADE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: SELF_MADE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: SELF_MADE,
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
  CERT_NOT_YET_VALID: "shows a certificate that is not valid yet; this machine's clock may be wrong",
  ERR_SSL_WRONG_VERSION_NUMBER:
    'does not begin with TLS on this port: smtps:// is for port 465, smtp:// for 587 and 25',
  ETLS: 'offers no encryption (STARTTLS), and e-mail leaves this machine only encrypted',
};

interface SmtpErrorParts {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
  readonly command?: unknown;
  readonly cert?: { readonly subjectaltname?: unknown; readonly subject?: { readonly CN?: unknown } };
}

/** `server` is the host and port. */
export function toMailFault(error: unknown, server: string): MailFault {
  if (error instanceof MailFault) return error;
  return new MailFault(`The mail server ${server} ${describeSmtpError(error)}.`, error);
}

function describeSmtpError(error: unknown): string {
  const parts = (error ?? {}) as SmtpErrorParts;
  const origin = readErrorCode({ code: parts.originalCode });
  const code = readErrorCode(error);
  if (origin === 'ERR_TLS_CERT_ALTNAME_INVALID') return describeForeignName(parts);
  const known = sentences[origin];
  if (known !== undefined) return known;
  const reply = typeof parts.responseCode === 'number' ? parts.responseCode : null;
  return reply === null ? describeLibraryCode(code, origin) : describeReply(code, reply, parts.command);
}

/** RFC 5321 §4.2.1: a 4yz reply asks to try again later. */
function describeReply(code: string, reply: number, command: unknown): string {
  if (reply === 530) return 'wants a login (530): put user:password@ in SMTP_URL';
  if (code === 'EAUTH') return `refuses the login (${reply}): the user or password in SMTP_URL is wrong`;
  if (code === 'ETLS') return sentences['ETLS'] ?? '';
  const what =
    command === 'MAIL FROM' ? 'the sender, MAIL_FROM' : command === 'RCPT TO' ? 'the recipient' : '';
  const refused = what === '' ? `the e-mail (${reply})` : `${what} (${reply})`;
  return reply < 500 ? `does not take ${refused} now and asks for another try later` : `refuses ${refused}`;
}

function describeLibraryCode(code: string, origin: string): string {
  if (code === 'EAUTH') return 'and SMTP_URL have no login method in common';
  return sentences[code] ?? `could not be used (${origin || code || 'unknown fault'})`;
}

/** Names come from the server, so only characters of a host name are repeated. */
function describeForeignName({ cert }: SmtpErrorParts): string {
  const listed = typeof cert?.subjectaltname === 'string' ? cert.subjectaltname : `DNS:${cert?.subject?.CN}`;
  const names = [...listed.matchAll(/DNS:([\w*.-]{1,253})/g)].map(([, name]) => name).slice(0, 3);
  const other = names.length === 0 ? 'another name' : `another name (${names.join(', ')})`;
  return `shows a certificate for ${other}; use that name in SMTP_URL, or add ?tls.servername=NAME to it`;
}
