/** The installation ids of the records before each restore, so that older backups are known to belong to them. */

import { upsertRow } from '../engine/selected-rows.ts';
import type { Records } from '../schema/tables.ts';
import type { Installation } from './shred-keys.ts';

/** Lists each installation with the generation of the keys that its restore used. */
export async function listPreviousInstallations(records: Records): Promise<Installation[]> {
  return await records.selectFrom('previous_installations').selectAll().orderBy('id').execute();
}

export async function insertPreviousInstallations(
  records: Records,
  installations: readonly Installation[],
): Promise<void> {
  for (const { id, generation } of installations)
    await upsertRow(records, 'previous_installations', 'id', { id, generation }, { generation });
}
