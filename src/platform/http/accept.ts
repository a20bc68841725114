/** Reads which media types a request accepts and prefers (RFC 9110 §12.5.1). */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

export function isMediaTypeAccepted(request: IncomingMessage, offered: string): boolean {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return true;
  return new Negotiator(request).mediaType([offered]) !== undefined;
}

/** Browsers list HTML first when they open a page; a program that accepts anything gets JSON. */
export function isPagePreferred(request: IncomingMessage): boolean {
  const offered = ['application/problem+json', 'application/json', 'text/html'];
  return new Negotiator(request).mediaType(offered) === 'text/html';
}
