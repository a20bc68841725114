/** Whether a request's Accept header admits what a route offers (RFC 9110 §12.5.1). */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

export function accepts(request: IncomingMessage, offered: string): boolean {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return true;
  return new Negotiator(request).mediaType([offered]) !== undefined;
}
