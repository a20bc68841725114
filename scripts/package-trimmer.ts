/** A plugin of the bundler that leaves out what packages do when they are loaded, and nobody needs. */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The engine's packages bring three tables of all media types there are, and sort them; it reads and sends these. */
const MEDIA_TYPES = [
  'application/json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/html',
  'text/plain',
];

/** What the service has no use for: HTTP/2, which a proxy in front of it may speak, and another language of schemas. */
const UNUSED_PARTS = /^const (?:http2|AjvJTD) = require\('(?:node:http2|ajv\/dist\/jtd)'\)/m;

/** A version of another shape is bundled as it is; the test of the bundle notices. */
export const packageTrimmer: Plugin = {
  name: 'package-trimmer',
  setup: (build) => {
    build.onLoad({ filter: /\/mime-db\/db\.json$/ }, async ({ path }) => {
      const all = Object.entries(JSON.parse(await readFile(path, 'utf8')) as object);
      const kept = all.filter(([type]) => MEDIA_TYPES.includes(type));
      return { contents: JSON.stringify(Object.fromEntries(kept)), loader: 'json' };
    });
    const users =
      /\/(?:fastify\/lib\/server|@fastify\/ajv-compiler\/lib\/(?:validator|serializer)-compiler)\.js$/;
    build.onLoad({ filter: users }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(UNUSED_PARTS, ''),
    }));
    // Whether an answer is one of `fetch` can only be asked by loading Node's client. The engine answers with none.
    build.onLoad({ filter: /\/koa\/lib\/(?:application|response)\.js$/ }, async ({ path }) => ({
      contents: `const Response = class {};${await readFile(path, 'utf8')}`,
    }));
    // Made for messages that are hardly ever written; the first of its kind makes Node read its tables of languages.
    build.onLoad({ filter: /\/oidc-provider\/lib\/helpers\/formatters\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        /new Intl\.ListFormat\((.*)\)/g,
        '{ format: (list) => new Intl.ListFormat($1).format(list) }',
      ),
    }));
  },
};
