/** Serves a document that is the same for everyone: created and compressed at the first request, cacheable, with an ETag. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import {
  compressContent,
  type EncodedContent,
  negotiateContentCoding,
  sendEncodedContent,
} from '#view/content-coding.ts';

/** Short, so that clients soon see a changed configuration. */
const CACHE = 'public, max-age=300';

export interface PublicDocument {
  readonly path: string;
  readonly type: string;
  readonly createText: () => string | Promise<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface DocumentVersion {
  readonly content: EncodedContent;
  readonly hash: string;
}

export function addPublicDocumentRoutes(
  app: App,
  { path, type, createText, headers = {} }: PublicDocument,
): void {
  const getVersion = createLazy(async () => createVersion(await createText()));
  app.get(
    path,
    { config: { access: 'public', produces: '*/*', anyOrigin: true } },
    async (request, reply) => {
      const { content, hash } = await getVersion();
      const coding = negotiateContentCoding(request, content);
      // RFC 9110 §8.8.3.3: each coding of a document has an ETag of its own.
      const etag = `"${hash}${coding === 'identity' ? '' : `-${coding}`}"`;
      reply.headers({
        etag,
        'cache-control': CACHE,
        'cross-origin-resource-policy': 'cross-origin',
        ...headers,
      });
      if (matchesEtag(request, etag)) return reply.header('vary', 'accept-encoding').code(304).send();
      return sendEncodedContent(reply.type(type), content, coding);
    },
  );
}

async function createVersion(text: string): Promise<DocumentVersion> {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { content: await compressContent(Buffer.from(text)), hash };
}

/** RFC 9110 §13.1.2: weak comparison with a list of ETags, or `*`. */
function matchesEtag({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-none-match'];
  if (condition === undefined) return false;
  return (
    condition.trim() === '*' ||
    condition.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
  );
}

export function serializeJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
