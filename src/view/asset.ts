/** A file that pages share: named by its content, so that a browser may keep it for ever. */
import { createHash } from 'node:crypto';
import type { EncodedContent } from './content-coding.ts';

const NAME_LENGTH = 16;

export interface Asset {
  readonly path: string;
  readonly type: string;
  /** For the page's `integrity`: a changed file is not used. */
  readonly integrity: string;
  /** Compressed for its first reader where that would hold up the start. */
  readonly coded: () => EncodedContent | Promise<EncodedContent>;
  /** Where the file runs under rules of its own; others do nothing and may do nothing. */
  readonly contentPolicy?: string;
}

interface Source {
  /** Stem and ending. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly coded: Asset['coded'];
}

export function createAsset({ name, type, bytes, coded }: Source): Asset {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, NAME_LENGTH);
  const sri = createHash('sha384').update(bytes).digest('base64');
  const [stem, ending] = name.split('.');
  return { path: `/assets/${stem}-${hash}.${ending}`, type, integrity: `sha384-${sri}`, coded };
}
