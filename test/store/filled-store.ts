/** Fills a store by SQL alone with many rows that need no work: settled orders, delivered cases, live tokens. */
import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import type { Records } from '#store/schema/tables.ts';

export const CIPHERTEXT = Buffer.from('a ciphertext');

/** Inserts `rows` rows whose values are computed from their number `i`. */
export async function insertNumbered(
  records: Records,
  target: string,
  values: RawBuilder<unknown>,
  rows: number,
): Promise<void> {
  await sql`insert into ${sql.raw(target)}
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${sql.lit(rows)})
    select ${values} from numbers order by 1`.execute(records);
}

/** Ids that are distributed over a tree like random ones, and are also canonical base64url. */
const LETTERS = sql.lit('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const SCATTERED = sql`(cast(i as bigint) * 2654435761 % 4294967296)`;
const ID = sql`substr(${LETTERS}, cast(1 + ${SCATTERED} % 64 as integer), 1)
  || substr(${LETTERS}, cast(1 + ${SCATTERED} / 64 % 64 as integer), 1)
  || cast(1000000000000000000 + ${SCATTERED} as text) || 'A'`;

interface FilledStore {
  readonly now?: number;
  /** The tables to fill; all by default. */
  readonly tables?: readonly string[];
  /** The recipient set of the cases. */
  readonly set?: string;
  /** Whether shred keys are in a file: that of the nth case in slot n, with the id of `toFilledShredId`. */
  readonly hasKeySlots?: boolean;
}

/** Inserts only rows that are not due, open or late. */
export async function fillStore(
  records: Records,
  rows: number,
  { now = Date.now(), tables, set = 'set', hasKeySlots = true }: FilledStore = {},
): Promise<void> {
  const today = now - (now % DAY_MS);
  const id = ID;
  const place = hasKeySlots
    ? sql`i, cast(10000000000 + i as text) || '0000000000A'`
    : sql`cast(null as integer), cast(null as text)`;
  const owner = sql`'owner-' || cast(i % 100 as text)`;
  const insertRows = async (target: string, values: RawBuilder<unknown>) => {
    if (!tables || tables.includes(target.split(' ')[0]!))
      await insertNumbered(records, target, values, rows);
  };
  await insertRows(
    'orders (id, tier, amount, currency, livemode, payment, revision, redeemed, owner, created_at, expires_at)',
    sql`${id}, 'Trace', 100, 'eur', 0, 'paid', 1, 1, ${owner}, cast(${today} as bigint), cast(${today} as bigint)`,
  );
  await insertRows(
    `cases (id, lookup_hash, owner, words_tag, tier, state, call, sealed_by, keep_days, terms_version, changed_at, finding_seq,
      submitted_at, due_at, delivered_at, released_at, purge_at, purging, key_slot, shred_id, sealed_to)`,
    sql`${id}, ${id}, ${owner}, ${id}, 'Trace', 'delivered', 'none', 'browser', 30, '2026-11', cast(${now} as bigint) - i, 0,
      cast(${now} as bigint) - i, cast(${now} as bigint) - i, cast(${now} as bigint) - i, cast(${now} as bigint) - i,
      cast(${now} as bigint) + ${sql.lit(30 * DAY_MS)} + i, 0, ${place}, ${sql.lit(set)}`,
  );
  await insertRows(
    'case_keys (number, case_id, ciphertext)',
    sql`${SCATTERED}, ${id}, ${sql.val(CIPHERTEXT)}`,
  );
  for (const [seq, kind] of ['inquiry.v1', 'buyer-message.v1', 'finding.v1'].entries()) {
    const object = sql`${id} || ${sql.lit(`-${seq}`)}`;
    await insertRows(
      'objects (number, id, case_id, kind, seq, size, kept_at, bytes)',
      sql`${SCATTERED} * 3 + ${sql.lit(seq)}, ${object}, ${id}, ${sql.lit(kind)}, 0, 5, cast(${now} as bigint) - i + ${sql.lit(seq)},
        ${sql.val(CIPHERTEXT)}`,
    );
    await insertRows(
      'object_pieces (number, object_number, piece, size, bytes)',
      sql`${SCATTERED} * 3 + ${sql.lit(seq)}, ${SCATTERED} * 3 + ${sql.lit(seq)}, 1, 5, ${sql.val(CIPHERTEXT)}`,
    );
  }
  await insertRows(
    'tokens (id, kind, payload, client_id, grant_id, user_id, uid_hash, expires_at)',
    sql`${id}, 'AccessToken', '{}', ${owner}, ${id}, null, null, cast(${now} as bigint) + ${sql.lit(DAY_MS)} + i`,
  );
  await insertRows(
    'clients (id, name, secret_hash, status, scopes, grants, redirect_uris, credentials, created_at)',
    sql`${id}, 'A client', 'none', 'active', '', '', '[]', 'bearer', cast(${now} as bigint) - i`,
  );
  await insertRows(
    `registrations (id, name, contact_ciphertext, identity_type, credentials, redirect_uris, status, scopes, grants,
      client_id, created_at)`,
    sql`${id}, 'A client', ${sql.val(CIPHERTEXT)}, 'email', 'bearer', '[]', 'collected', '', '', ${id},
      cast(${now} as bigint) - i`,
  );
  await insertRows('users (id, address_tag, created_at)', sql`${id}, ${id}, cast(${now} as bigint) - i`);
  await insertRows(
    'idempotency (key_tag, body_tag, record_id, created_at)',
    sql`${id}, 'body', ${id}, cast(${today} as bigint)`,
  );
  await insertRows(
    'notices (id, address_ciphertext, told_at, due_at)',
    sql`${id}, ${sql.val(CIPHERTEXT)}, cast(${now} as bigint), cast(${now} as bigint) + ${sql.lit(DAY_MS)} + i`,
  );
  await insertRows(
    'desk_challenges (id, investigator, nonce_hash, expires_at)',
    sql`${id}, ${id}, ${id}, cast(${now} as bigint) + ${sql.lit(DAY_MS)} + i`,
  );
  await insertRows(
    'desk_sessions (id, investigator, jkt, expires_at)',
    sql`${id}, ${id}, ${id}, cast(${now} as bigint) + ${sql.lit(DAY_MS)} + i`,
  );
  await insertRows(
    'audit_entries (number, hash, entry_hash, salt, entry, subject_id)',
    sql`1000000 + i, ${id}, ${id}, ${id}, ${id}, ${id}`,
  );
  await insertRows('provider_events (id, seen_at)', sql`${id}, cast(${today} as bigint)`);
  await insertRows(
    'tombstones (id, tier, month, outcome, lookup_hash, purged_on, forget_at)',
    sql`${id}, 'Trace', '2026-11', 'delivered', 'gone-' || ${id}, '2026-11-15',
      cast(${now} as bigint) + ${sql.lit(DAY_MS)} + i`,
  );
  await insertRows(
    'webhooks (id, client_tag, ciphertext, state, created_on)',
    sql`${id}, ${id}, ${sql.val(CIPHERTEXT)}, 'set', cast(${today} as bigint)`,
  );
  await insertRows(
    'case_webhooks (case_id, client_ciphertext, told_at, due_at)',
    sql`${id}, ${sql.val(CIPHERTEXT)}, cast(${now} as bigint), cast(${now} as bigint) + ${sql.lit(DAY_MS)} + i`,
  );
  await insertRows('order_webhooks (order_id, client_ciphertext)', sql`${id}, ${sql.val(CIPHERTEXT)}`);
  await insertRows(
    'webhook_events (id, kind, queue_tag, ciphertext, due_at, ends_at, attempts, claimed_until)',
    sql`${id}, case i % 2 when 0 then 'order' else 'case' end, ${id}, ${sql.val(CIPHERTEXT)},
      cast(${now} as bigint) + ${sql.lit(DAY_MS)} + i, cast(${now} as bigint) + ${sql.lit(2 * DAY_MS)} + i, 1, 0`,
  );
  await insertRows('case_alerts (case_id, stage, email_id)', sql`${id}, 'late', ${id}`);
}

export function toFilledShredId(number: number): string {
  return `${10_000_000_000 + number}0000000000A`;
}
