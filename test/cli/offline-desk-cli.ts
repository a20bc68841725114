/** The command line on a machine without the service's data, and the bundles exchanged with it. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import type { TestShop } from '#test/test-shop.ts';
import { createDeskCli, type DeskCli, type SentCase } from './desk-cli.ts';

export interface OfflineDeskCli extends DeskCli {
  readonly folder: string;
  /** The name of a file that does not exist yet. */
  readonly createFileName: () => string;
  readonly exportBundle: (sent: SentCase) => Promise<string>;
  /** Runs a bundle command; returns the bundle that it has written. */
  readonly writeBundle: (bundle: string, act: string, ...args: string[]) => Promise<string>;
}

export async function createOfflineDeskCli(t: CleanupScope, shop: TestShop): Promise<OfflineDeskCli> {
  const folder = await createTemporaryFolder(t);
  const key = join(folder, 'desk.key');
  await cp(createDeskCli(shop).key, key);
  // There is no database, and the configuration would be refused.
  const desk: DeskCli = {
    ...createDeskCli({ dataDir: '/nowhere' }, { DATABASE_URL: 'wrong', PORT: 'wrong' }),
    key,
  };
  let names = 0;
  const generateBundlePath = () => {
    names += 1;
    return join(folder, `${names}.bundle`);
  };
  return {
    ...desk,
    folder,
    createFileName: generateBundlePath,
    exportBundle: async ({ id }) => {
      const path = generateBundlePath();
      assert.match(
        await createDeskCli(shop).runForText('cases', 'export', id, '--out', path),
        /survives the purge/,
      );
      return path;
    },
    writeBundle: async (bundle, act, ...args) => {
      const out = generateBundlePath();
      const text = await desk.runForText(
        'cases',
        act,
        '--bundle',
        bundle,
        '--key',
        key,
        '--out',
        out,
        ...args,
      );
      assert.match(text, /^Written to .* The case itself changes only when/);
      return out;
    },
  };
}
