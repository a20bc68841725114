/**
 * Rebuilds the tables of large rows on SQLite. To compare a key, a table without rowids reads whole rows with all their
 * overflow pages; with rowids the keys are in an index of their own. The rows that are there are numbered in the order
 * of their random ids. Their bytes get the padding that such a table needs (`overflow-bytes.ts`).
 */

function buildPaddedColumn(column: string): string {
  return `case when substr(${column}, 1, 1) = x'00'
    then cast(x'01' || zeroblob(3071) || ${column} as blob) else ${column} end`;
}

/** Nothing refers to pieces, so that the table can be renamed. */
export const numberedPiecesSql = [
  `create table numbered_pieces (
    object_id text not null references objects (id),
    piece integer not null,
    size integer not null,
    bytes bytea not null,
    primary key (object_id, piece)
  )`,
  `insert into numbered_pieces (object_id, piece, size, bytes)
    select object_id, piece, size, ${buildPaddedColumn('bytes')} from object_pieces order by object_id, piece`,
  'drop table object_pieces',
  'alter table numbered_pieces rename to object_pieces',
] as const;

export const numberedContactMessagesSql = [
  `create table numbered_contact_messages (
    id text not null primary key,
    sealed_by text not null check (sealed_by in ('browser', 'agent', 'server')),
    received_at bigint not null,
    done_at bigint,
    purge_at bigint not null,
    sealed bytea not null
  )`,
  `insert into numbered_contact_messages (id, sealed_by, received_at, done_at, purge_at, sealed)
    select id, sealed_by, received_at, done_at, purge_at, ${buildPaddedColumn('sealed')} from contact_messages order by id`,
  'drop table contact_messages',
  'alter table numbered_contact_messages rename to contact_messages',
  'create index contact_messages_by_age on contact_messages (received_at, id)',
  'create index contact_messages_to_purge on contact_messages (purge_at)',
  'create index contact_messages_handled on contact_messages (done_at) where done_at is not null',
  'create index contact_messages_open on contact_messages (received_at, id) where done_at is null',
] as const;

const CASE_COLUMNS = `id, lookup_hash, owner, words_tag, tier, state, call, sealed_by, keep_days, terms_version,
  submitted_at, due_at, delivered_at, purge_at, purging, shred_slot, shred_id, sealed_to, released_at, held_state,
  finding_seq, shortened_from, unanswered_since`;

const CASE_INDEXES = [
  'create index cases_by_owner on cases (owner, submitted_at, id) where owner is not null',
  'create index cases_by_words on cases (words_tag, submitted_at, id)',
  'create index cases_to_purge on cases (purge_at) where purge_at is not null',
  'create index cases_without_slot on cases (id) where shred_slot is null',
  'create index cases_by_state on cases (state, due_at, id)',
  'create index cases_held on cases (released_at) where held_state is not null',
  'create index cases_by_sealed_to on cases (sealed_to, id) where purging = 0',
  'create index cases_unanswered on cases (state, unanswered_since) where unanswered_since is not null',
] as const;

interface CasesRewrite {
  readonly callStates: string;
  /** How the values of its large column are read from the copy. */
  readonly keyBox: string;
  /** Columns that may be null, which were added since, and their indexes. */
  readonly columns?: Readonly<Record<string, 'bigint' | 'text'>>;
  readonly indexes?: readonly string[];
  /** Statements about the copy, `cases_copy`, which has no rules. */
  readonly prepare?: readonly string[];
}

/**
 * Other tables refer to cases: the table keeps its name, their foreign keys are checked at the commit, when its rows are
 * back, and what goes with a case is put aside. The large column is the last one, so that the others are read without it.
 */
function buildCasesRewrite({
  callStates,
  keyBox,
  columns = {},
  indexes = [],
  prepare = [],
}: CasesRewrite): readonly string[] {
  const names = [CASE_COLUMNS, ...Object.keys(columns)].join(', ');
  return [
    'pragma defer_foreign_keys = on',
    'create table bundle_keys_copy as select * from bundle_keys',
    'create table case_alerts_copy as select * from case_alerts',
    'create table cases_copy as select * from cases order by id',
    ...prepare,
    'drop table cases',
    `create table cases (
    id text not null primary key,
    lookup_hash text not null unique,
    owner text,
    words_tag text not null,
    tier text not null,
    state text not null check (state in
      ('received', 'in_progress', 'awaiting_client', 'delivered', 'declined', 'withdrawn')),
    call text not null check (call in (${callStates})),
    sealed_by text not null check (sealed_by in ('browser', 'agent', 'server')),
    keep_days integer not null check (keep_days > 0),
    terms_version text not null,
    submitted_at bigint not null,
    due_at bigint not null,
    delivered_at bigint,
    purge_at bigint,
    purging smallint not null check (purging in (0, 1)),
    shred_slot integer,
    shred_id text,
    sealed_to text,
    released_at bigint,
    held_state text,
    finding_seq integer not null default 0,
    shortened_from integer,
    unanswered_since bigint,
    ${Object.entries(columns)
      .map(
        ([name, type]) => `${name} ${type},
    `,
      )
      .join('')}key_box bytea not null
  )`,
    `insert into cases (${names}, key_box) select ${names}, ${keyBox} from cases_copy`,
    'insert into bundle_keys select * from bundle_keys_copy',
    'insert into case_alerts select * from case_alerts_copy',
    'drop table cases_copy',
    'drop table bundle_keys_copy',
    'drop table case_alerts_copy',
    ...CASE_INDEXES,
    ...indexes,
  ];
}

export const numberedCasesSql = buildCasesRewrite({
  callStates: "'none', 'offered', 'booked', 'held'",
  keyBox: buildPaddedColumn('key_box'),
});

/** Until now `booked` said that the buyer had given times: no time was ever agreed on. */
const buildProposedUpdate = (table: string) => `update ${table} set call = 'proposed' where call = 'booked'`;
const PROPOSED_CALL_STATES = "'none', 'offered', 'proposed', 'booked', 'held'";

export const sqliteProposedCallsSql = buildCasesRewrite({
  callStates: PROPOSED_CALL_STATES,
  keyBox: 'key_box',
  columns: { notice_id: 'text', news_hash: 'text', taken_at: 'bigint' },
  indexes: [
    'create index cases_by_notice on cases (notice_id) where notice_id is not null',
    'create index cases_by_news on cases (news_hash) where news_hash is not null',
  ],
  prepare: [buildProposedUpdate('cases_copy')],
});

export const postgresProposedCallsSql = [
  'alter table cases drop constraint cases_call_check',
  buildProposedUpdate('cases'),
  `alter table cases add constraint cases_call_check check (call in (${PROPOSED_CALL_STATES}))`,
] as const;
