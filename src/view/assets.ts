/** The static files of all pages: loaded when the service starts, and served under names that include a hash. */
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { createLazy } from '#platform/lazy.ts';
import { compressContent, negotiateContentCoding, sendEncodedContent } from './content-coding.ts';
import { type Asset, createAsset } from './hashed-file.ts';
import { type BrowserScripts, loadScripts } from './scripts/scripts.ts';
import {
  createStoredAsset,
  readFontAssets,
  readStyleFile,
  readStylesheets,
  resolveFontUrls,
} from './style-files.ts';

const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';

export interface Assets {
  readonly stylesheet: Asset;
  readonly icon: Asset;
  /** For the home screen of a phone, which does not accept SVG. */
  readonly touchIcon: Asset;
  readonly fonts: readonly Asset[];
  /** Throws until the scripts are loaded. */
  readonly scripts: BrowserScripts;
  /** Await this before sending a page or a file, because the scripts may have to be bundled first. */
  readonly waitForScripts: () => Promise<void>;
}

/** Concatenated in this order into one stylesheet: shared styles first, then a file for each kind of page. */
const styleFiles = [
  'fonts',
  'colors',
  'sizes',
  'base',
  'controls',
  'frame',
  'table',
  'form',
  'home',
  'text-page',
  'inquiry',
  'case',
  'reference',
  'print',
] as const;

export async function loadAssets(): Promise<Assets> {
  const scriptsLoading = loadScripts();
  let loaded: BrowserScripts | undefined;
  const icon = createCompressedAsset('mark.svg', 'image/svg+xml', await readStyleFile('mark.svg'));
  const touchIcon = createStoredAsset('touch-icon.png', 'image/png', await readStyleFile('touch-icon.png'));
  const fonts = await readFontAssets();
  const css = await readStylesheets(styleFiles);
  const stylesheet = createCompressedAsset(
    'site.css',
    'text/css; charset=utf-8',
    Buffer.from(resolveFontUrls(css, fonts)),
  );
  return {
    stylesheet,
    icon,
    touchIcon,
    fonts,
    get scripts() {
      if (!loaded) throw new Error('the scripts are not loaded yet');
      return loaded;
    },
    waitForScripts: async () => {
      loaded ??= await scriptsLoading;
    },
  };
}

function createCompressedAsset(name: string, type: string, bytes: Buffer): Asset {
  return createAsset({ name, type, bytes, getContent: createLazy(() => compressContent(bytes)) });
}

export function addAssetRoutes(app: App, assets: Assets): void {
  app.get(
    '/assets/:name',
    {
      config: { access: 'public', produces: '*/*' },
      schema: { params: Type.Object({ name: Type.String() }) },
    },
    async (request, reply) => {
      const asset = listAssets(assets).find(({ path }) => path === `/assets/${request.params.name}`);
      if (!asset) throw new ServiceError('not_found');
      const { type, contentPolicy } = asset;
      const content = await asset.getContent();
      const coding = negotiateContentCoding(request, content);
      if (contentPolicy) reply.header('content-security-policy', contentPolicy);
      return sendEncodedContent(reply.type(type).header('cache-control', IMMUTABLE_CACHE), content, coding);
    },
  );
}

function listAssets({ stylesheet, icon, touchIcon, fonts, scripts: { pages, workers } }: Assets): Asset[] {
  return [stylesheet, icon, touchIcon, ...fonts, ...Object.values(workers), ...Object.values(pages)];
}
