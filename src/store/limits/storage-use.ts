/** Measures how much of each capped kind is stored; every table or index read here is bounded by its cap. */
import { sql } from 'kysely';
import { UNPAID_STATES } from '../schema/column-values.ts';
import type { Records } from '../schema/tables.ts';
import { type CappedKind, ROW_BYTES } from './storage-caps.ts';

export interface StorageUse {
  number: number;
  bytes: number;
}

/** The condition on tokens is spelled as in their partial index, which SQLite would not use otherwise. */
const contentSql: Readonly<Record<CappedKind, string>> = {
  contact_messages: 'sum(octet_length(sealed)) as bytes from contact_messages',
  registrations: `sum(octet_length(name) + octet_length(redirect_uris) + octet_length(contact_ciphertext)) as bytes
    from registrations where status in ('pending', 'rejected')`,
  sign_ins: `sum(octet_length(payload)) as bytes from tokens where kind in ('Interaction', 'Session')`,
  sign_in_codes: 'sum(octet_length(address_ciphertext)) as bytes from sign_in_codes',
  // All rows have one size, so only the index is read.
  unpaid_orders: `0 as bytes from orders where payment in ('${UNPAID_STATES.join("', '")}')`,
};

export async function measureStorageUse(records: Records, kind: CappedKind): Promise<StorageUse> {
  const query = sql.raw<{ number: number | string; bytes: number | string | null }>(
    `select count(*) as number, ${contentSql[kind]}`,
  );
  const [row] = (await query.execute(records)).rows;
  const number = Number(row?.number ?? 0);
  return { number, bytes: Number(row?.bytes ?? 0) + number * ROW_BYTES };
}
