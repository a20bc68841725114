/** Reads which media types a request accepts and prefers (RFC 9110 §12.5.1). */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

/** Browsers send about 150 characters; a longer header counts as one that accepts everything. */
const MAX_LENGTH = 1_024;
/** Matches to the end of the text if the closing quote is missing. */
const QUOTED_VALUE = /"(?:[^"\\]|\\.?)*(?:"|$)/gs;

export function isMediaTypeAccepted(request: IncomingMessage, offered: string): boolean {
  const accept = readAccept(request);
  // Most programs send one of these; parsing it would cost more than all other checks of a small request.
  if (accept === '*/*' || accept === offered) return true;
  return createNegotiator(request).mediaType([offered]) !== undefined;
}

export const MARKDOWN_MEDIA_TYPE = 'text/markdown';

/** A caller without a preference gets HTML. */
export function isMarkdownPreferred(request: IncomingMessage): boolean {
  if (readAccept(request) === '*/*') return false;
  return createNegotiator(request).mediaType(['text/html', MARKDOWN_MEDIA_TYPE]) === MARKDOWN_MEDIA_TYPE;
}

/** Browsers list HTML first when they open a page; a program that accepts anything gets JSON. */
export function isPagePreferred(request: IncomingMessage): boolean {
  const offered = ['application/problem+json', 'application/json', 'text/html'];
  return createNegotiator(request).mediaType(offered) === 'text/html';
}

/** Drops quoted values: they cost the negotiator quadratic time, and none of our media types has a parameter. */
function createNegotiator(request: IncomingMessage): Negotiator {
  const accept = readAccept(request);
  const read = accept.length > MAX_LENGTH ? '*/*' : accept.replace(QUOTED_VALUE, '"-"');
  return new Negotiator({ headers: { accept: read } });
}

/** An empty list counts as no header, because no caller can mean to accept nothing. */
function readAccept({ headers: { accept } }: IncomingMessage): string {
  return accept?.trim() || '*/*';
}
