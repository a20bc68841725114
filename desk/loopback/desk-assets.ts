/** The files that the desk's pages load: one stylesheet, two fonts, the mark, and three scripts. */
import { readFile } from 'node:fs/promises';
import type { Asset } from '#view/hashed-file.ts';
import {
  createStoredAsset,
  readFontAssets,
  readStyleFile,
  readStylesheets,
  resolveFontUrls,
} from '#view/style-files.ts';

/** The site's stylesheets, then the desk's: for every page, for kinds of pages, then for widths and print. */
const SITE_STYLES = ['fonts', 'colors', 'sizes', 'base', 'controls'];
const DESK_STYLES = [
  'tokens',
  'ground',
  'controls',
  'top',
  'list',
  'sheet',
  'case',
  'write',
  'column',
  'locked',
  'states',
  'shortcuts',
  'wide',
  'narrow',
  'print',
];

export type DeskAssets = Awaited<ReturnType<typeof loadDeskAssets>>;

export async function loadDeskAssets() {
  const fonts = await readFontAssets();
  const own = await Promise.all(DESK_STYLES.map((name) => readDeskFile(`styles/${name}.css`)));
  const css = resolveFontUrls([await readStylesheets(SITE_STYLES), ...own].join('\n'), fonts);
  return {
    stylesheet: createStoredAsset('desk.css', 'text/css; charset=utf-8', Buffer.from(css)),
    icon: createStoredAsset('mark.svg', 'image/svg+xml', await readStyleFile('mark.svg')),
    keyboard: await readScript('keyboard.js'),
    proof: await readScript('proof.js'),
    live: await readScript('live.js'),
    fonts,
  };
}

export function listDeskAssets(assets: DeskAssets): readonly Asset[] {
  return Object.values(assets).flat();
}

async function readScript(name: string): Promise<Asset> {
  return createStoredAsset(name, 'text/javascript; charset=utf-8', await readDeskFile(`scripts/${name}`));
}

async function readDeskFile(name: string): Promise<Buffer> {
  return await readFile(new URL(`../${name}`, import.meta.url));
}
