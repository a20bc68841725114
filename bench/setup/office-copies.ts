/** Filled offices for the benches of one run: each size is filled once, and every bench gets a copy of its own. */
import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';
import type { ClientCredentials } from '#clients/clients.ts';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { createFilledOffice } from './filled-office.ts';
import { type BenchOffice, createBenchOffice } from './office.ts';

/** Copies an office with that many cases. */
export type OfficeCopier = (t: CleanupScope, count: number) => Promise<BenchOffice>;

interface OfficeTemplate {
  readonly dataDir: string;
  readonly client: ClientCredentials;
}

export function createOfficeCopier(owner: CleanupScope, report: (text: string) => void): OfficeCopier {
  const templates = new Map<number, OfficeTemplate>();
  return async (t, count) => {
    const template = templates.get(count) ?? (await fillTemplate(owner, count, report));
    templates.set(count, template);
    report(`copying an office with ${count} cases`);
    const dataDir = await createTemporaryFolder(t);
    await cp(template.dataDir, dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE });
    return await createBenchOffice(t, { DATA_DIR: dataDir }, template.client);
  };
}

async function fillTemplate(
  owner: CleanupScope,
  count: number,
  report: (text: string) => void,
): Promise<OfficeTemplate> {
  report(`filling an office with ${count} cases`);
  const dataDir = await createDataFolder(owner);
  const endings: (() => unknown)[] = [];
  const scope = withReverseCleanup({ after: (clean) => void endings.push(clean) });
  try {
    const { client } = await createFilledOffice(scope, count, { DATA_DIR: dataDir });
    return { dataDir, client };
  } finally {
    // A copy of a database that is in use would be torn.
    for (const end of endings) await end();
  }
}
