/** A machine that knows nothing of the office, and bundles that go there and come back. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type Owner, ownFolder } from '#test/folder.ts';
import type { Shop } from '#test/shop.ts';
import { type Desk, deskOf, type SentCase } from './desk.ts';

export interface Elsewhere extends Desk {
  readonly folder: string;
  /** The name of a file that is not there yet. */
  readonly newName: () => string;
  readonly exported: (sent: SentCase) => Promise<string>;
  /** The bundle that a command has made from another. */
  readonly written: (bundle: string, act: string, ...args: string[]) => Promise<string>;
}

export async function goElsewhere(t: Owner, shop: Shop): Promise<Elsewhere> {
  const folder = await ownFolder(t);
  const key = join(folder, 'desk.key');
  await cp(deskOf(shop).key, key);
  // No database is there, and the configuration would be refused.
  const desk: Desk = { ...deskOf({ dataDir: '/nowhere' }, { DATABASE_URL: 'wrong', PORT: 'wrong' }), key };
  let names = 0;
  const newName = () => {
    names += 1;
    return join(folder, `${names}.bundle`);
  };
  return {
    ...desk,
    folder,
    newName,
    exported: async ({ id }) => {
      const path = newName();
      assert.match(await deskOf(shop).text('cases', 'export', id, '--out', path), /outlives a purge/);
      return path;
    },
    written: async (bundle, act, ...args) => {
      const out = newName();
      const text = await desk.text('cases', act, '--bundle', bundle, '--key', key, '--out', out, ...args);
      assert.match(text, /^Written into .* Nothing has reached the case before/);
      return out;
    },
  };
}
