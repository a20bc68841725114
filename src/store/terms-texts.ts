/** The texts of the terms that were ever in force, by version; none is ever deleted. */
import { sql } from 'kysely';
import type { Records } from './schema/tables.ts';

interface TermsText {
  readonly version: string;
  readonly text: string;
  /** When an instance last had it in force. */
  readonly last_at: number;
}

export async function findTermsText(records: Records, version: string): Promise<TermsText | null> {
  const row = await records
    .selectFrom('terms_texts')
    .select(['version', 'text', 'last_at'])
    .where('version', '=', version)
    .executeTakeFirst();
  return row ?? null;
}

/** Keeps the first text of a version; setting the clock back does not end a version earlier. */
export async function recordTermsText(
  records: Records,
  { version, text, now }: { readonly version: string; readonly text: string; readonly now: number },
): Promise<void> {
  await records
    .insertInto('terms_texts')
    .values({ version, text, first_at: now, last_at: now })
    .onConflict((conflict) =>
      conflict.column('version').doUpdateSet({
        last_at: sql<number>`case when terms_texts.last_at > excluded.last_at then terms_texts.last_at else excluded.last_at end`,
      }),
    )
    .execute();
}
