/** Serves sealing.md, from which any program can seal and open a case, and the test vectors for it. */
import { addPublicDocumentRoutes, serializeJson } from '#agents/documents/public-document.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';

/** Returns a function that loads the text, for whoever else shows it. */
export function addSealingDocumentRoutes(
  app: App,
  addresses: PublicAddresses,
  siteName: string,
): () => Promise<string> {
  const getText = createLazy(async () => {
    const { buildSealingText } = await import('./sealing-text.ts');
    return buildSealingText(addresses, siteName);
  });
  const getVectors = createLazy(() => import('./vectors.json', { with: { type: 'json' } }));
  addPublicDocumentRoutes(app, {
    path: agentPaths.sealing,
    type: 'text/markdown; charset=utf-8',
    createText: getText,
  });
  addPublicDocumentRoutes(app, {
    path: agentPaths.sealingVectors,
    type: 'application/json',
    createText: async () => serializeJson((await getVectors()).default),
  });
  return getText;
}
