/** A static file whose name contains a hash of its content, so that browsers may cache it for ever. */
import { createHash } from 'node:crypto';
import type { EncodedContent } from './content-coding.ts';

const HASH_LENGTH = 16;

export interface Asset {
  readonly path: string;
  readonly type: string;
  /** For the page's `integrity` attribute: browsers refuse a changed file. */
  readonly integrity: string;
  /** Some files are compressed at the first request, to keep startup fast. */
  readonly getContent: () => EncodedContent | Promise<EncodedContent>;
  /** Only for workers; other files keep the server's default policy, which forbids everything. */
  readonly contentPolicy?: string;
}

interface AssetSource {
  /** Includes the extension. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly getContent: Asset['getContent'];
}

export function createAsset({ name, type, bytes, getContent }: AssetSource): Asset {
  const sri = createHash('sha384').update(bytes).digest('base64');
  return { path: buildAssetPath(name, bytes), type, integrity: `sha384-${sri}`, getContent };
}

export function buildAssetPath(name: string, content: Uint8Array | string): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, HASH_LENGTH);
  const [stem, extension] = name.split('.');
  return `/assets/${stem}-${hash}.${extension}`;
}
