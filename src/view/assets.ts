/** The files that pages share: named by their content, so that a browser may keep them for ever. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { type Coded, codingFor, compressed, sendCoded } from './content-coding.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';
const NAME_LENGTH = 16;

interface Asset {
  readonly path: string;
  readonly type: string;
  /** For the page's `integrity`: a changed file is not used. */
  readonly integrity: string;
  readonly coded: Coded;
}

export interface Assets {
  readonly stylesheet: Asset;
  readonly icon: Asset;
  readonly fonts: readonly Asset[];
}

/** Latin alone; another script is written in the reader's own fonts. */
const fontFiles = {
  'newsreader.woff2': '@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2',
  'public-sans.woff2': '@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2',
} as const;

export async function loadAssets(): Promise<Assets> {
  const [icon, ...fonts] = await Promise.all([
    packed('mark.svg', 'image/svg+xml', await readOwn('mark.svg')),
    ...Object.entries(fontFiles).map(async ([name, file]) =>
      asset(name, 'font/woff2', { identity: await readFile(new URL(import.meta.resolve(file))) }),
    ),
  ]);
  const css = (await readOwn('site.css')).toString();
  const stylesheet = await packed('site.css', 'text/css; charset=utf-8', Buffer.from(placed(css, fonts)));
  return { stylesheet, icon, fonts };
}

/** The stylesheet names a font by its plain name; the browser needs the one with the hash. */
function placed(css: string, fonts: readonly Asset[]): string {
  const names = Object.keys(fontFiles);
  return css.replace(/url\("([^"]+)"\)/g, (_all, name: string) => {
    const font = fonts[names.indexOf(name)];
    if (!font) throw new Error(`the stylesheet asks for ${name}, which is no asset`);
    return `url("${font.path}")`;
  });
}

async function readOwn(name: string): Promise<Buffer> {
  return await readFile(new URL(`styles/${name}`, import.meta.url));
}

async function packed(name: string, type: string, bytes: Buffer): Promise<Asset> {
  return asset(name, type, await compressed(bytes));
}

function asset(name: string, type: string, coded: Coded): Asset {
  const hash = createHash('sha256').update(coded.identity).digest('base64url').slice(0, NAME_LENGTH);
  const sri = createHash('sha384').update(coded.identity).digest('base64');
  const [stem, ending] = name.split('.');
  return { path: `/assets/${stem}-${hash}.${ending}`, type, integrity: `sha384-${sri}`, coded };
}

export function addAssets(app: App, { stylesheet, icon, fonts }: Assets): void {
  const byPath = new Map([stylesheet, icon, ...fonts].map((each) => [each.path, each]));
  app.get(
    '/assets/:name',
    {
      config: { access: 'public', produces: '*/*' },
      schema: { params: Type.Object({ name: Type.String() }) },
    },
    async (request, reply) => {
      const found = byPath.get(`/assets/${request.params.name}`);
      if (!found) throw new ServiceError('not_found');
      const coding = codingFor(request, found.coded);
      return sendCoded(reply.type(found.type).header('cache-control', FOR_EVER), found.coded, coding);
    },
  );
}
