/** Runs after an install: compiles the service once, so that its first start is as quick as the next. Never fails. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;

async function warmUp() {
  // Where the pinned Node has no package, an older one runs this, and cannot read the source.
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) return;
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
