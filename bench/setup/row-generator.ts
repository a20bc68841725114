/** SQL that makes many rows at once: a column is an expression over `n`, the number of the row, on both engines. */
import { sql } from 'kysely';
import type { Records } from '#store/tables.ts';

export interface SqlForm {
  /** Random letters and digits; canonical base64url for 22 and 43 of them. */
  readonly text: (length: number) => string;
  readonly bytes: (length: number) => string;
  /** Of a row; random. */
  readonly number: string;
}

const HEX_OF_MD5 = 32;

export const sqlForms: Readonly<Record<'sqlite' | 'postgres', SqlForm>> = {
  sqlite: {
    text: (length) => `substr(lower(hex(randomblob(${Math.ceil(length / 2)}))), 1, ${length - 1}) || 'A'`,
    bytes: (length) => `randomblob(${length})`,
    number: '(random() >> 11) & 9007199254740991',
  },
  postgres: {
    text: (length) => `substr(${repeatMd5(length)}, 1, ${length - 1}) || 'A'`,
    bytes: (length) => `decode(substr(${repeatMd5(length * 2)}, 1, ${length * 2}), 'hex')`,
    number: '(random() * 9007199254740991)::bigint',
  },
};

function repeatMd5(length: number): string {
  return Array.from({ length: Math.ceil(length / HEX_OF_MD5) }, () => 'md5(random()::text)').join(' || ');
}

/** Sorted by the first column, its key: a tree that is filled in its order is filled fast. */
export async function insertRows(
  records: Records,
  table: string,
  columns: Readonly<Record<string, string>>,
  source: number | string,
): Promise<void> {
  const from =
    typeof source === 'string'
      ? source
      : `(with recursive series (n) as (values (cast(0 as bigint)) union all select n + 1 from series where n + 1 < ${source}) select n from series) as series`;
  const values = Object.entries(columns).map(([name, value]) => `${value} as ${name}`);
  const names = Object.keys(columns).join(', ');
  await sql
    .raw(`insert into ${table} (${names}) select ${values.join(', ')} from ${from} order by 1`)
    .execute(records);
}
