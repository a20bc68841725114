/** The texts of the terms that were ever in force, by version; none is ever deleted. */
import { type Selectable, sql } from 'kysely';
import { findRow, upsertRow } from './engine/selected-rows.ts';
import type { Records, Tables } from './schema/tables.ts';

export async function findTermsText(
  records: Records,
  version: string,
): Promise<Selectable<Tables['terms_texts']> | null> {
  return (await findRow(records, 'terms_texts', { version })) ?? null;
}

/** Keeps the first text of a version; setting the clock back does not end a version earlier. */
export async function recordTermsText(
  records: Records,
  { version, text, now }: { readonly version: string; readonly text: string; readonly now: number },
): Promise<void> {
  const latest = sql<number>`case when terms_texts.last_at > ${now} then terms_texts.last_at else ${now} end`;
  const row = { version, text, first_at: now, last_at: now };
  await upsertRow(records, 'terms_texts', 'version', row, { last_at: latest });
}
