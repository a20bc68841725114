/** Answers what reaches no hook: bytes that never became a valid request, and addresses that the router cannot read. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { Config } from '#platform/config/config.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { ProblemCode } from '#platform/problems.ts';
import { generateId } from '#platform/text/ids.ts';
import { createCallerAddressReader } from './caller-address.ts';
import { httpsHeaders } from './headers.ts';
import type { AddressHasher } from './limits/address-hash.ts';
import { type RateLimits, refuseExcess } from './limits/rate-limit.ts';
import { type ErrorTranslator, PROBLEM_MEDIA_TYPE, resolveProblem, serializeProblem } from './problem.ts';

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

interface RouterErrorOptions {
  readonly addresses: PublicAddresses;
  readonly config: Pick<Config, 'tls'>;
  readonly log: Log;
  readonly translate: ErrorTranslator;
  readonly hashAddress: AddressHasher;
  readonly limits: RateLimits;
}

/** Runs before any hook, so it counts the request itself; never answers with a page. */
export function createRouterErrorHandler(options: RouterErrorOptions) {
  const { addresses, config, log, hashAddress, limits } = options;
  const readCallerAddress = createCallerAddressReader(config.tls);

  function findExcess({ raw }: FastifyRequest) {
    // Fastify has not read the forwarded address yet.
    const address = readCallerAddress(raw)?.address ?? raw.socket.remoteAddress ?? '';
    return limits.findExcess({ addressHash: hashAddress(address, raw.socket), account: null }, 'requests');
  }

  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    refuseExcess(reply, findExcess(request), (refusal) => {
      const problem = resolveProblem(options, refusal ?? error, request.id);
      reply
        .code(problem.status)
        .headers({ ...httpsHeaders, ...problem.headers, 'x-request-id': request.id })
        .type(PROBLEM_MEDIA_TYPE)
        .send(serializeProblem(problem, request.id, addresses));
      log.event('request', {
        method: request.method,
        route: 'unknown',
        status: reply.statusCode,
        request_id: request.id,
      });
    });
  };
}
