/** Responds to bytes that never became a valid request, before Fastify is involved. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
import { generateId } from '#platform/text/ids.ts';
import { httpsHeaders } from './headers.ts';
import { PROBLEM_MEDIA_TYPE, serializeProblem } from './problem.ts';

const codes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

type WireHeaders = Readonly<Record<string, string>>;

export function createClientErrorHandler(addresses: PublicAddresses, headers: WireHeaders) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    // Write nothing after a failed TLS handshake: the bytes would never be sent and would block the shutdown.
    if (!socket.writable || !/^(HPE_|ERR_HTTP_)/.test(error.code ?? '')) {
      socket.destroy();
      return;
    }
    const problem = new ServiceError(codes[error.code ?? ''] ?? 'malformed_request');
    socket.end(serializeRawResponse(problem, addresses, headers), () => socket.destroySoon());
  };
}

/** Replaces the empty 417 that Node would send for an unknown Expect header (RFC 9110 §10.1.1). */
export function createExpectationHandler(addresses: PublicAddresses) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.socket?.end(
      serializeRawResponse(new ServiceError('expectation_failed'), addresses, httpsHeaders),
    );
  };
}

function serializeRawResponse(
  problem: ServiceError,
  addresses: PublicAddresses,
  headers: WireHeaders,
): string {
  const requestId = generateId();
  const body = serializeProblem(problem, requestId, addresses);
  const lines = Object.entries({
    ...headers,
    'x-request-id': requestId,
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': body.byteLength,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} Refused\r\n${lines.join('')}\r\n${body}`;
}
