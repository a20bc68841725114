/** Contact messages: sealed to the desk, in the order in which they came. */
import type { Insertable, Selectable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export type ContactRecord = Selectable<Tables['contact_messages']>;

export async function insertContactMessage(
  records: Records,
  row: Insertable<Tables['contact_messages']>,
): Promise<void> {
  await records.insertInto('contact_messages').values(row).execute();
}
