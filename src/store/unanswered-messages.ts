/** What buyers wrote and the desk has written nothing after. */
import type { CaseState } from './column-values.ts';
import type { Records } from './tables.ts';

interface UnansweredMessages {
  /** Cases in which the buyer wrote last. */
  readonly cases: number;
  /** When the oldest of the messages came; null if there is none. */
  readonly oldestAt: number | null;
}

export async function readUnansweredMessages(
  records: Records,
  states: readonly CaseState[],
): Promise<UnansweredMessages> {
  const { count, oldest } = await records
    .selectFrom('cases')
    .innerJoin('objects as message', (join) =>
      join.onRef('message.case_id', '=', 'cases.id').on('message.kind', '=', 'buyer-message.v1'),
    )
    .select(({ fn }) => [
      fn.count<number | string>('cases.id').distinct().as('count'),
      fn.min<number | null>('message.kept_at').as('oldest'),
    ])
    .where('cases.state', 'in', states)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('objects as answer')
            .select('answer.id')
            .whereRef('answer.case_id', '=', 'cases.id')
            .where('answer.kind', 'in', ['desk-message.v1', 'finding.v1'])
            .whereRef('answer.kept_at', '>', 'message.kept_at'),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return { cases: Number(count), oldestAt: oldest };
}
