/** Runs after an install: fills the compile cache, so that the first start is as fast as later ones. Never fails. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const MIN_NODE_VERSION = 24;

async function warmUp() {
  // On platforms without a package of the pinned Node, an older one may run this and cannot read TypeScript.
  if (Number.parseInt(process.versions.node, 10) < MIN_NODE_VERSION) return;
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
  await import('../src/service.ts');
  await import('#oauth/engine.ts');
  await import('#agents/documents/openapi-document.ts');
  await import('#agents/docs/page.ts');
  await import('#seal/age.ts');
  await import('esbuild');
  await import('../sandbox/server.ts');
  await import('selfsigned');
  await import('stripe');
  module.flushCompileCache();
}

await warmUp().catch(() => {});
