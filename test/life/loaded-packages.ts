/** Preloaded into the service by a test: reports at its exit which packages were loaded. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  load: (url, context, nextLoad) => {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1];
    if (name !== undefined) loaded.add(name);
    return nextLoad(url, context);
  },
});

process.on('exit', () => {
  const report = process.env['LOADED_PACKAGES_FILE'];
  if (report !== undefined) writeFileSync(report, JSON.stringify([...loaded].toSorted()));
});
