/** A document that is the same for everyone: made at its first reading, kept by readers for minutes, named by its hash. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';

/** Short enough that a changed configuration is soon known everywhere. */
const CACHE = 'public, max-age=300';

export interface PublicDocument {
  readonly path: string;
  readonly type: string;
  readonly make: () => string | Promise<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Edition {
  readonly text: string;
  readonly etag: string;
}

export function addPublicDocumentRoutes(app: App, { path, type, make, headers = {} }: PublicDocument): void {
  const edition = createLazy(async () => createEdition(await make()));
  app.get(
    path,
    { config: { access: 'public', produces: '*/*', anyOrigin: true } },
    async (request, reply) => {
      const { text, etag } = await edition();
      reply.headers({
        etag,
        'cache-control': CACHE,
        'cross-origin-resource-policy': 'cross-origin',
        ...headers,
      });
      if (matchesEtag(request, etag)) return reply.code(304).send();
      return reply.type(type).send(text);
    },
  );
}

function createEdition(text: string): Edition {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

/** RFC 9110 §13.1.2: compared weakly, as a list or as any. */
function matchesEtag({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  return known.trim() === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}

export function serializeJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
