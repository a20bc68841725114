/** Reads whole objects, most of them with one query: for envelopes, which are short; files are read piece by piece. */
import type { Selectable } from 'kysely';
import { prepareQuery } from '../engine/prepared.ts';
import { toRowNumber } from '../engine/row-number.ts';
import type { Records, Tables } from '../schema/tables.ts';

type Numbers = { readonly numbers: readonly number[] };
type ObjectRow = Pick<Selectable<Tables['objects']>, 'number' | 'id' | 'size' | 'bytes'>;
type PieceRow = Pick<Selectable<Tables['object_pieces']>, 'object_number' | 'bytes'>;

const listObjects = prepareQuery<Numbers, ObjectRow>((records, { numbers }) =>
  records.selectFrom('objects').select(['number', 'id', 'size', 'bytes']).where('number', 'in', numbers),
);

const listPieces = prepareQuery<Numbers, PieceRow>((records, { numbers }) =>
  records
    .selectFrom('object_pieces')
    .select(['object_number', 'bytes'])
    .where('object_number', 'in', numbers)
    .orderBy('object_number')
    .orderBy('piece'),
);

/** Leaves out objects that do not exist or have been deleted. */
export async function readObjects(
  records: Records,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const objects = ids.length === 0 ? [] : await listObjects(records, { numbers: ids.map(toRowNumber) });
  const long = objects.filter(({ size, bytes }) => (bytes?.length ?? 0) < (size ?? 0));
  const numbers = long.map(({ number }) => number);
  const pieces = numbers.length === 0 ? [] : await listPieces(records, { numbers });
  const piecesByNumber = Map.groupBy(pieces, (piece) => piece.object_number);
  return new Map(
    objects.flatMap(({ number, id, bytes }) => {
      if (!bytes) return [];
      const further = piecesByNumber.get(number) ?? [];
      return [
        [id, further.length === 0 ? bytes : Buffer.concat([bytes, ...further.map((piece) => piece.bytes)])],
      ];
    }),
  );
}
