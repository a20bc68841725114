/** The texts of the terms that were ever in force, by version; none is ever deleted. */
import { sql } from 'kysely';
import { prepareFind } from './engine/prepared.ts';
import { upsertRow } from './engine/selected-rows.ts';
import type { Records } from './schema/tables.ts';

export const findTermsText = prepareFind('terms_texts', 'version');

/** Keeps the first text of a version; setting the clock back does not end a version earlier. */
export async function recordTermsText(
  records: Records,
  { version, text, now }: { readonly version: string; readonly text: string; readonly now: number },
): Promise<void> {
  const latest = sql<number>`case when terms_texts.last_at > ${now} then terms_texts.last_at else ${now} end`;
  const row = { version, text, first_at: now, last_at: now };
  await upsertRow(records, 'terms_texts', 'version', row, { last_at: latest });
}
