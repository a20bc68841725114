/** The stylesheets, fonts and marks of this project as files to serve. */
import { readFile } from 'node:fs/promises';
import { type Asset, createAsset } from './hashed-file.ts';

/** Subset by `npm run fonts`; other writing systems use the reader's own fonts. The text font comes first. */
const fontFiles = ['public-sans.woff2', 'newsreader.woff2'] as const;

export async function readFontAssets(): Promise<readonly Asset[]> {
  return await Promise.all(
    fontFiles.map(async (name) => createStoredAsset(name, 'font/woff2', await readStyleFile(name))),
  );
}

/** Replaces the plain font names in a stylesheet with the URLs that include a hash. */
export function resolveFontUrls(css: string, fonts: readonly Asset[]): string {
  const names: readonly string[] = fontFiles;
  return css.replace(/url\("([^"]+)"\)/g, (_all, name: string) => {
    const font = fonts[names.indexOf(name)];
    if (!font) throw new Error(`the stylesheet refers to an unknown font: ${name}`);
    return `url("${font.path}")`;
  });
}

/** Concatenates the files in the given order, without comments, to keep the first page small. */
export async function readStylesheets(names: readonly string[]): Promise<string> {
  const sheets = await Promise.all(names.map((name) => readStyleFile(`${name}.css`)));
  return sheets.join('\n').replaceAll(/\/\*.*?\*\/\n?/gs, '');
}

export async function readStyleFile(name: string): Promise<Buffer> {
  return await readFile(new URL(`styles/${name}`, import.meta.url));
}

/** For files that are already compressed, such as WOFF2 and PNG, or are not worth compressing. */
export function createStoredAsset(name: string, type: string, bytes: Buffer): Asset {
  return createAsset({ name, type, bytes, getContent: () => ({ identity: bytes }) });
}
