/** The plain HTTP listener: sends readers of pages to HTTPS and refuses whatever might carry a credential. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Addresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import { plainHeaders } from './headers.ts';
import { limits } from './limits.ts';
import { PROBLEM_TYPE, problemBody } from './problem.ts';
import { wireErrorAnswers } from './wire-error.ts';

export function createPlainListener(addresses: Addresses): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkMs,
      requireHostHeader: false,
    },
    (request, response) => {
      if (mayRedirect(request, addresses)) redirect(request, response, addresses);
      else refuse(response, addresses);
    },
  );
  server.setTimeout(limits.silenceMs);
  server.on('clientError', wireErrorAnswers(addresses, plainHeaders));
  return server;
}

/** Forwarding a request that belongs to a program would teach it to send its credentials in clear each time. */
function mayRedirect(request: IncomingMessage, addresses: Addresses): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (request.headers.authorization !== undefined) return false;
  const path = decodedPath(request.url ?? '');
  return path !== null && !addresses.isForPrograms(path);
}

function decodedPath(url: string): string | null {
  if (!url.startsWith('/')) return null;
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
  } catch {
    return null;
  }
}

/** Joined as text: resolving it as a URL would let `//elsewhere/` choose the host. */
function redirect(request: IncomingMessage, response: ServerResponse, addresses: Addresses): void {
  response
    .writeHead(308, { ...plainHeaders, location: addresses.site + request.url, 'content-length': 0 })
    .end();
}

function refuse(response: ServerResponse, addresses: Addresses): void {
  const requestId = newId();
  const body = problemBody(new ServiceError('https_required'), requestId, addresses);
  response
    .writeHead(403, {
      ...plainHeaders,
      'x-request-id': requestId,
      'content-type': PROBLEM_TYPE,
      'content-length': body.byteLength,
      connection: 'close',
    })
    .end(body);
}
