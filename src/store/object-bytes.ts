/** Whole objects, read with one query: for envelopes, which are short; files are read piece by piece. */
import type { Selectable } from 'kysely';
import { stripErasurePadding } from './overflow-bytes.ts';
import { prepareQuery } from './prepared.ts';
import type { Records, Tables } from './tables.ts';

type PieceRow = Pick<Selectable<Tables['object_pieces']>, 'object_id' | 'bytes'>;

const listPieces = prepareQuery<{ readonly ids: readonly string[] }, PieceRow>(['ids'], (records, { ids }) =>
  records
    .selectFrom('object_pieces')
    .select(['object_id', 'bytes'])
    .where('object_id', 'in', ids)
    .orderBy('object_id')
    .orderBy('piece'),
);

/** Of an object that is not there, or no longer, there are no bytes. */
export async function readObjects(
  records: Records,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const piecesById = new Map<string, Uint8Array[]>();
  const rows = ids.length === 0 ? [] : await listPieces(records, { ids });
  for (const { object_id: id, bytes } of rows) {
    const pieces = piecesById.get(id) ?? [];
    pieces.push(stripErasurePadding(bytes));
    piecesById.set(id, pieces);
  }
  return new Map(
    [...piecesById].map(([id, pieces]) => [id, pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)]),
  );
}
