/** Answers connections whose bytes never became a request; Fastify's own answers begin only after that. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Addresses } from '#platform/addresses.ts';
import { type ProblemCode, ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import { secureHeaders } from './headers.ts';
import { PROBLEM_TYPE, problemBody } from './problem.ts';

const codes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

type WireHeaders = Readonly<Record<string, string>>;

export function wireErrorAnswers(addresses: Addresses, headers: WireHeaders) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    // A failed TLS handshake must not be answered: the bytes would wait for ever and hold the shutdown.
    if (!socket.writable || !/^(HPE_|ERR_HTTP_)/.test(error.code ?? '')) {
      socket.destroy();
      return;
    }
    const problem = new ServiceError(codes[error.code ?? ''] ?? 'malformed_request');
    socket.end(message(problem, addresses, headers), () => socket.destroySoon());
  };
}

/** Node would answer an unknown Expect header (RFC 9110 §10.1.1) with an empty 417 of its own. */
export function refuseExpectation(addresses: Addresses) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.socket?.end(message(new ServiceError('expectation_failed'), addresses, secureHeaders));
  };
}

function message(problem: ServiceError, addresses: Addresses, headers: WireHeaders): string {
  const requestId = newId();
  const body = problemBody(problem, requestId, addresses);
  const lines = Object.entries({
    ...headers,
    'x-request-id': requestId,
    'content-type': PROBLEM_TYPE,
    'content-length': body.byteLength,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} Refused\r\n${lines.join('')}\r\n${body}`;
}
