/** Stores a buyer's message and the changes to its case in one PostgreSQL statement, or changes nothing. */
import { type Insertable, sql } from 'kysely';
import { prepareQuery, tryTogether } from '../engine/prepared.ts';
import { claimKey } from '../idempotent-request.ts';
import type { Records, Tables } from '../schema/tables.ts';
import type { Case } from './cases.ts';
import { buildObjectRow, type NewObject } from './objects.ts';

/** The case as it was read: all effects of a message depend on these columns. */
type ReadCase = Pick<Case, 'id' | 'state' | 'call' | 'purge_at' | 'state_on_hold' | 'released_at'>;
type Place = Omit<Insertable<Tables['objects']>, 'case_id'>;

function prepareMark(isClaimed: boolean) {
  return prepareQuery<ReadCase & { readonly now: number }, Pick<Case, 'id'>>(
    (records, { id, state, call, purge_at, state_on_hold, released_at, now }) =>
      records
        .updateTable('cases')
        .set({ changed_at: now, awaiting_reply_since: sql`coalesce(awaiting_reply_since, ${now})` })
        .where('id', '=', id)
        .where('state', '=', state)
        .where('call', '=', call)
        .where('purging', '=', 0)
        .where('purge_at', 'is not distinct from', purge_at)
        .where('state_on_hold', 'is not distinct from', state_on_hold)
        .where('released_at', 'is not distinct from', released_at)
        .$if(isClaimed, (query) => query.where(sql<boolean>`exists (select from claimed)`))
        .returning('id'),
  );
}

const mark = { free: prepareMark(false), claimed: prepareMark(true) } as const;

/** Without a changed case the id is null, which the check on `objects` refuses. */
const insertInChanged = prepareQuery<Place, Pick<Case, 'id'>>((records, place) =>
  records
    .insertInto('objects')
    .values({ ...place, case_id: sql`(select id from changed)` })
    .returning('id'),
);

/** Returns null if the case has changed or has a message of this number; a retry in a transaction finds out why. */
export async function insertBuyerMessage(
  records: Records,
  record: Case,
  message: NewObject,
  claim: Insertable<Tables['idempotency']> | null,
): Promise<Case | null> {
  const { now } = message;
  const parts = {
    ...(claim && { claimed: claimKey.compile(records, claim) }),
    changed: mark[claim ? 'claimed' : 'free'].compile(records, { ...record, now }),
  };
  const { case_id: _, ...place } = buildObjectRow(message);
  if (!(await tryTogether(records, parts, insertInChanged.compile(records, place)))) return null;
  return { ...record, changed_at: now, awaiting_reply_since: record.awaiting_reply_since ?? now };
}
