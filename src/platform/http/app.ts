/** The type of our server, and what every route states about itself. */
import type { Server as PlainServer } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
} from 'fastify';
import type { Scope } from '#platform/scopes.ts';

/**
 * Who may call a route: anyone, whoever shows a valid token, whoever shows one with a scope; or anyone, where a token
 * that is shown all the same must be valid and carry the scope.
 */
export type RouteAccess = 'public' | 'token' | Scope | { readonly optional: Scope };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. Every route says so; one that does not stops the start. */
    access?: RouteAccess;
    /** The media type of a success; application/json where nothing is said, anything for readers of any kind. */
    produces?: string;
    /** Answered even while other requests are shed, so that a busy process is not taken for a dead one. */
    liveness?: true;
    /** Takes a large body, which may come for minutes. */
    upload?: true;
  }
}

export type App = FastifyInstance<
  PlainServer | SecureServer,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
