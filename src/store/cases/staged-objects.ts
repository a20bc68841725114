/** Staged objects (uploads): sealed objects, sent piece by piece by their uploader, then bound to a case. */
import { type Insertable, sql } from 'kysely';
import { castBytes, executeTogether, isPostgres, prepareQuery } from '../engine/prepared.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { chooseRows, insertIfNew, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import {
  type CaseObjectPlace,
  findObjectPiece,
  insertObjectPiece,
  type ObjectPiece,
  toPieceNumber,
} from './objects.ts';

interface StagedObject {
  readonly id: string;
  readonly uploader: string;
  readonly now: number;
}

/** Returns false if the object belongs to another uploader or to a case. */
export async function stageObject(records: Records, { id, uploader, now }: StagedObject): Promise<boolean> {
  const number = toRowNumber(id);
  await insertIfNew(records, 'objects', { number, id, uploader, kept_at: now });
  const staged = chooseRows(records, 'objects', { number, id, uploader }).select('number');
  return (await staged.executeTakeFirst()) !== undefined;
}

// Assumes that each object has its first piece: checking would read all their bytes.
const countPieces = (of: string) => sql<number>`(select count(*) from objects where uploader = ${of}) +
  (select count(*) from objects join object_pieces on object_number = objects.number where uploader = ${of})`;

interface StagedPiece extends StagedObject {
  readonly number: number;
  /** The number of the row that holds the piece. */
  readonly own: number;
  /** Null unless stored in the object's own row. */
  readonly bytes: Uint8Array | null;
  readonly most: number;
}

/** Stages the object of a piece, unless it belongs to another uploader or a case, or there is no room for the piece. */
const prepareStaging = (pieces: 'objects' | 'object_pieces') =>
  prepareQuery<StagedPiece, object>((records, { number, id, uploader, now, own, bytes, most }) => ({
    compile: () =>
      sql<object>`insert into objects (number, id, uploader, kept_at, bytes)
        select cast(${number} as bigint), cast(${id} as text), cast(${uploader} as text),
          cast(${now} as bigint), ${castBytes(records, bytes)}
          where ${countPieces(uploader)} < ${most}
            or exists (select 1 from ${sql.table(pieces)} where number = ${own})
        on conflict (number) do update set bytes = coalesce(objects.bytes, excluded.bytes)
          where objects.id = excluded.id and objects.uploader = excluded.uploader returning number`.compile(
        records,
      ),
  }));

const stageFirst = prepareStaging('objects');
const stageFurther = prepareStaging('object_pieces');

type FurtherPiece = Omit<Insertable<Tables['object_pieces']>, 'object_number'>;

const insertStagedPiece = prepareQuery<FurtherPiece, object>((records, { number, piece, size, bytes }) => ({
  compile: () =>
    sql<object>`insert into object_pieces (number, object_number, piece, size, bytes)
        select ${number}, number, ${piece}, ${size}, ${bytes} from staged
        on conflict (number) do update set piece = excluded.piece
          where object_pieces.object_number = excluded.object_number returning piece`.compile(records),
}));

/**
 * Stages a piece of an upload; returns false if the object belongs to another uploader or to a case, or if the piece is
 * new and the uploader has `most` pieces.
 */
export async function stagePiece(
  records: Records,
  { objectId: id, piece, bytes }: ObjectPiece,
  { uploader, now, most }: Pick<StagedObject, 'uploader' | 'now'> & { readonly most: number },
): Promise<boolean> {
  const object = { number: toRowNumber(id), id, uploader, now, most };
  if (piece === 0) return (await stageFirst(records, { ...object, own: object.number, bytes })).length > 0;
  const own = toPieceNumber(id, piece);
  if (isPostgres(records)) {
    const staged = stageFurther.compile(records, { ...object, own, bytes: null });
    const stored = insertStagedPiece.compile(records, { number: own, piece, size: bytes.length, bytes });
    return (await executeTogether(records, { staged }, stored)).length > 0;
  }
  // On SQLite, updating the object would copy its first piece.
  const isFull = (await countStagedPieces(records, uploader)) >= most;
  if (isFull && !(await findObjectPiece(records, id, piece))) return false;
  if (!(await stageObject(records, object))) return false;
  await insertObjectPiece(records, { objectId: id, piece, bytes });
  return true;
}

/** Counts the pieces that an uploader has staged in all objects. */
export async function countStagedPieces(records: Records, uploader: string): Promise<number> {
  const row = await records.selectNoFrom(countPieces(uploader).as('count')).executeTakeFirst();
  return Number(row?.count);
}

/** Returns false if this uploader has not staged the object. The uploader is removed from the object. */
export async function bindObject(
  records: Records,
  staged: { readonly id: string; readonly uploader: string },
  bound: CaseObjectPlace & { readonly size: number; readonly now: number },
): Promise<boolean> {
  const { caseId, kind, seq, size, now } = bound;
  const change = { case_id: caseId, uploader: null, kind, seq, size, kept_at: now };
  const own = { number: toRowNumber(staged.id), id: staged.id, uploader: staged.uploader };
  return await updateRows(records, 'objects', own, change);
}
