/** The plain HTTP listener: redirects pages to HTTPS and refuses any request that may carry credentials. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import { plainHttpHeaders } from './headers.ts';
import { boundUnanswered } from './limits/connection-limits.ts';
import { httpLimits } from './limits/limits.ts';
import { PROBLEM_MEDIA_TYPE, serializeProblem } from './problem.ts';
import { createClientErrorHandler } from './unread-requests.ts';

export function createPlainListener(addresses: PublicAddresses): Server {
  const server = createServer(
    {
      maxHeaderSize: httpLimits.headerBytes,
      headersTimeout: httpLimits.headersMs,
      requestTimeout: httpLimits.requestMs,
      keepAliveTimeout: httpLimits.keepAliveMs,
      connectionsCheckingInterval: httpLimits.checkMs,
      requireHostHeader: false,
    },
    boundUnanswered((request, response) => {
      if (mayRedirect(request, addresses)) redirectToHttps(request, response, addresses);
      else refusePlainHttp(response, addresses);
    }),
  );
  server.setTimeout(httpLimits.silenceMs);
  server.on('clientError', createClientErrorHandler(addresses, plainHttpHeaders));
  return server;
}

/** A program that is redirected would keep sending its credentials unencrypted. */
function mayRedirect(request: IncomingMessage, addresses: PublicAddresses): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (request.headers.authorization !== undefined) return false;
  const path = decodePath(request.url ?? '');
  return path !== null && !addresses.isForPrograms(path);
}

function decodePath(url: string): string | null {
  if (!url.startsWith('/')) return null;
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
  } catch {
    return null;
  }
}

/** Concatenated, since resolving it as a URL would let `//elsewhere/` choose the host. */
function redirectToHttps(
  request: IncomingMessage,
  response: ServerResponse,
  addresses: PublicAddresses,
): void {
  response
    .writeHead(308, {
      ...plainHttpHeaders,
      location: addresses.site + request.url,
      'content-length': 0,
      // A client that follows the redirect needs another connection.
      connection: 'close',
    })
    .end();
}

function refusePlainHttp(response: ServerResponse, addresses: PublicAddresses): void {
  const requestId = generateId();
  const body = serializeProblem(new ServiceError('https_required'), requestId, addresses);
  response
    .writeHead(403, {
      ...plainHttpHeaders,
      'x-request-id': requestId,
      'content-type': PROBLEM_MEDIA_TYPE,
      'content-length': body.byteLength,
      connection: 'close',
    })
    .end(body);
}
