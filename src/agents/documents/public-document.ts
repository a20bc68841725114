/** Serves a document that is the same for all: created and compressed on the first request, cacheable, with an ETag. */
import type { PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app-type.ts';
import { createLazy } from '#platform/lazy.ts';
import {
  createDocumentVersion,
  SHARED_DOCUMENT_HEADERS,
  sendDocumentVersion,
} from '#view/document-version.ts';

/** What the documents for programs tell of the site. */
export interface DescribedSite {
  readonly addresses: PublicAddresses;
  readonly clientDocumentHosts: readonly string[];
  readonly siteName: string;
  readonly maintainer: string;
  /** Empty if payments are real. */
  readonly testNote: string;
}

interface PublicDocument {
  readonly path: string;
  readonly type: string;
  readonly createText: () => string | Promise<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function addPublicDocumentRoutes(
  app: App,
  { path, type, createText, headers = {} }: PublicDocument,
): void {
  const getVersion = createLazy(async () => createDocumentVersion(await createText()));
  app.get(path, { config: { access: 'public', produces: '*/*', anyOrigin: true } }, async (request, reply) =>
    sendDocumentVersion(request, reply, await getVersion(), {
      ...SHARED_DOCUMENT_HEADERS,
      'content-type': type,
      ...headers,
    }),
  );
}

export function serializeJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
