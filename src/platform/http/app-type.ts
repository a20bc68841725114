/** The type of our Fastify server, and the configuration that routes declare. */
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
 * Who may call a route: anyone (`public`), any valid token (`token`), or a token with a scope. With `optional`, no
 * token is needed, but one that is sent must be valid and have the scope, if one is named. `desk`: an investigator who
 * has signed in.
 */
export type RouteAccess = 'public' | 'desk' | 'token' | Scope | { readonly optional: Scope | 'token' };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required for every route: the service does not start without it. */
    access?: RouteAccess;
    /** The media type of a successful response; application/json by default. With a wildcard, Accept is not checked. */
    produces?: string;
    /** Exempt from load shedding, so that a busy process does not look dead. */
    liveness?: true;
    /** Accepts a large body, which may take minutes to arrive. */
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
