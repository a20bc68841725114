/** The type of each column, and a check for rows with values of another type, which a copy would lose. */
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

export type RecordValue = string | number | null | Uint8Array;

export interface TypedColumn {
  readonly name: string;
  readonly type: 'integer' | 'text' | 'blob';
}

/** The types have several names: those of PostgreSQL, those of SQLite, and those that its tables were declared with. */
export function toTypedColumn(name: string, declared: string): TypedColumn {
  if (/int/i.test(declared)) return { name, type: 'integer' };
  if (/^text$/i.test(declared)) return { name, type: 'text' };
  if (/^(?:blob|bytea)$/i.test(declared)) return { name, type: 'blob' };
  throw new Error(`the column ${name} is of an unknown type`);
}

/** Integers that a JavaScript number cannot hold match no type. */
function isOfType(value: RecordValue, type: TypedColumn['type']): boolean {
  if (value === null) return true;
  if (type === 'blob') return value instanceof Uint8Array;
  return type === 'text' ? typeof value === 'string' : Number.isSafeInteger(value);
}

export interface CopiedRow {
  readonly table: string;
  readonly columns: readonly TypedColumn[];
  /** From 1, in the order of the copy. */
  readonly number: number;
  readonly values: readonly RecordValue[];
}

export function requireTypedRow(row: CopiedRow): void {
  const { columns, values } = row;
  if (values.length !== columns.length) throw createRowFault(row, 'does not have one value for each column');
  const wrong = columns.find(({ type }, index) => !isOfType(values[index] ?? null, type));
  if (wrong) throw createRowFault(row, 'is not of the type of its column', wrong.name);
}

/** Names the row without quoting anything else in it. */
export function createRowFault(
  { table, columns: [first], number, values: [id] }: CopiedRow,
  fault: string,
  column?: string,
): ProgramError {
  const isPrintable = typeof id === 'string' && /^[\w:.-]{1,64}$/.test(id);
  const name = `${table}, row ${number}${isPrintable ? ` (${first?.name} ${id})` : ''}`;
  return new ProgramError(`${column ? `${name}, ${column}` : name}: ${fault}`, EXIT_CODES.dataError);
}
