/** Challenges and sessions of investigators: found by id or hash, a challenge consumed once. */
import type { Selectable } from 'kysely';
import { prepareFind, prepareInsert, prepareQuery } from './engine/prepared.ts';
import { deleteBy } from './engine/selected-rows.ts';
import type { RecipientSet } from './keys/recipient-set.ts';
import type { Records, Tables } from './schema/tables.ts';

export type DeskSessionRecord = Selectable<Tables['desk_sessions']>;

export const insertDeskChallenge = prepareInsert('desk_challenges');
export const insertDeskSession = prepareInsert('desk_sessions');

export const findDeskChallenge = prepareFind('desk_challenges', 'id');

/** Returns false if it was consumed before. */
export const consumeDeskChallenge = deleteBy('desk_challenges', 'id');

/** With the adopted set, which shows who still belongs to the desk. */
type KnownSession = DeskSessionRecord & {
  readonly [Column in keyof RecipientSet]: RecipientSet[Column] | null;
};

const findSession = prepareQuery<Pick<DeskSessionRecord, 'id'>, KnownSession>((records, { id }) =>
  records
    .selectFrom('desk_sessions')
    .leftJoin('recipient_set', (join) => join.on('recipient_set.id', '=', 1))
    .selectAll('desk_sessions')
    .select(['recipient_set.tag', 'recipient_set.members'])
    .where('desk_sessions.id', '=', id),
);

/** Runs with every request of a desk. */
export async function findDeskSession(
  records: Records,
  id: string,
): Promise<{ readonly session: DeskSessionRecord; readonly adopted: RecipientSet | undefined } | undefined> {
  const [row] = await findSession(records, { id });
  if (!row) return undefined;
  const { tag, members, ...session } = row;
  return { session, adopted: tag === null || members === null ? undefined : { tag, members } };
}

export const deleteDeskSession = deleteBy('desk_sessions', 'id');
