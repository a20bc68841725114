/** The address of an office as the investigator enters it: an origin, and the path of its API. */

export interface OfficeAddress {
  readonly origin: string;
  /** Without a trailing slash; the API's default path if the address has none. */
  readonly apiPath: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

const HTTPS_PORT = 443;
const USUAL_API_PATH = '/api';

/** Null unless it is an https address without user, query and fragment. */
export function parseOfficeAddress(text: string): OfficeAddress | null {
  if (!URL.canParse(text)) return null;
  const { protocol, username, password, search, hash, origin, hostname, port, pathname } = new URL(text);
  if (protocol !== 'https:' || `${username}${password}${search}${hash}` !== '') return null;
  return {
    origin,
    apiPath: pathname.replace(/\/+$/, '') || USUAL_API_PATH,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? HTTPS_PORT : Number(port),
  };
}
