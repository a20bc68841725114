/** Answers what the router refuses before any hook runs: counted like every request, and never with a page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { Config } from '#platform/config/config.ts';
import type { Log } from '#platform/log.ts';
import { createCallerAddressReader } from './caller-address.ts';
import { httpsHeaders } from './headers.ts';
import type { AddressHasher } from './limits/address-hash.ts';
import { type RateLimits, refuseExcess } from './limits/rate-limit.ts';
import { type ErrorTranslator, PROBLEM_MEDIA_TYPE, resolveProblem, serializeProblem } from './problem.ts';

interface RouterErrorOptions {
  readonly addresses: PublicAddresses;
  readonly config: Pick<Config, 'tls'>;
  readonly log: Log;
  readonly translate: ErrorTranslator;
  readonly hashAddress: AddressHasher;
  readonly limits: RateLimits;
}

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
