/** A step of a change of the master key that looks at the rows of one table, each on its own. */
import type { Selectable } from 'kysely';
import { createRotationStep, type RotationStep, type RowChange } from '#store/rotation.ts';
import { listRotatedRows, type RotatedTable } from '#store/rotation-rows.ts';
import type { Records, Tables } from '#store/tables.ts';

export function createRowStep<Table extends RotatedTable>(
  what: string,
  table: Table,
  plan: (row: Selectable<Tables[Table]>) => RowChange | null,
): RotationStep {
  return createRotationStep<Selectable<Tables[Table]>>({
    what,
    table,
    list: (records, after, limit) =>
      listRotatedRows(records, table, { after: after as { id: string } | null, limit }),
    plan,
  });
}

/** Turns "the row was replaced" into an outcome. */
export function toChange(replace: (records: Records) => Promise<boolean>): RowChange {
  return async (records) => ((await replace(records)) ? 'moved' : 'unchanged');
}
