/** What the bundler must be told about our source: where files are found, and how Node's own modules are reached. */
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/** In the bundle, the scripts for browsers are files that were made with it. */
export function createScriptsReader(folder: string, names: readonly string[]): Plugin {
  const contents = `import { readFile } from 'node:fs/promises';
async function readScriptFiles() {
  const read = async (name) => [name, await readFile(new URL(\`${folder}/\${name}.js\`, import.meta.url))];
  return { files: Object.fromEntries(await Promise.all(${JSON.stringify(names)}.map(read))) };
}
export { readScriptFiles as bundleScriptFiles };`;
  return {
    name: 'scripts-reader',
    setup: (build) => build.onLoad({ filter: /\/src\/view\/script-bundler\.ts$/ }, () => ({ contents })),
  };
}

const OWN_ADDRESS = /new URL\('([^']+)', import\.meta\.url\)|import\.meta\.url/g;

/**
 * A file finds others beside itself by its address, which is not that of the bundle. One that is a part of the bundle,
 * by its path from the project, is found there: `threads` has the names of these parts.
 */
export function createAddressKeeper(
  project: string,
  output: string,
  threads: Record<string, string>,
): Plugin {
  const partNames = new Map(Object.entries(threads).map(([name, path]) => [join(project, path), name]));
  return {
    name: 'address-keeper',
    setup: (build) =>
      build.onLoad({ filter: /\/(?:src|cli|desk)\/.*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (/import\.meta\.(?:dirname|filename)/.test(text))
          throw new Error(`${path}: only import.meta.url is kept`);
        const own = `new URL(${JSON.stringify(relative(output, path))}, import.meta.url).href`;
        const contents = text.replace(OWN_ADDRESS, (address, other: string | undefined) => {
          const part = partNames.get(join(dirname(path), other ?? ''));
          if (part) return `new URL('./${part}.mjs', import.meta.url)`;
          return address.replace('import.meta.url', own);
        });
        return { contents, loader: 'ts' };
      }),
  };
}

/** Where a package imports all of `node:http`, a look at these would load Node's clients of WebSocket and `fetch`. */
const UNUSED_NAMES = ['WebSocket', 'CloseEvent', 'MessageEvent'];

/**
 * An import of `node:http` reads everything that the module offers, and so loads parts of Node that nobody uses: a
 * WebSocket client, for one. Here each name is read where it is imported; the bundler drops the other lines.
 */
export const builtinReader: Plugin = {
  name: 'builtin-reader',
  setup: (build) => {
    build.onResolve({ filter: /^(?:node:)?[a-z_/0-9]+$/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) as object).filter(
        (name) => name !== 'default' && !UNUSED_NAMES.includes(name),
      );
      const lines = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})();`);
      const all = `const all = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`;
      return { contents: [all, ...lines, 'export default all;'].join('\n') };
    });
  },
};
