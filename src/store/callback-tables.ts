/** The tables of callbacks: where programs want to be told of events, of what, and what waits to be sent. */
import type { CallbackState, EventKind } from './column-values.ts';

/** One for each client that set a callback. */
export interface CallbackTable {
  id: string;
  /** HMAC of the client's id: a row does not tell whose it is. */
  client_tag: string;
  /** The client's id, the address and the secret, encrypted. */
  box: Uint8Array;
  /** `marking` until the client's cases are known to it, `ending` until they are not. */
  state: CallbackState;
  created_on: number;
  /** The day of the last delivery, or of the last that failed. */
  last_on: number | null;
  /** Why that one failed, as a sentence for the client; null if it did not. */
  last_fault: string | null;
}

/** A case whose client is told of events; goes with the case, or with the callback. No backup has it. */
export interface CaseCallbackTable {
  case_id: string;
  /** The client's id, encrypted. */
  client_box: Uint8Array;
  /** The time of the last event that was told. */
  told_at: number;
  /** The time of the next one; null while none is known. */
  due_at: number | null;
}

/** An order that may be paid and whose client is told so; goes when it is. No backup has it. */
export interface OrderCallbackTable {
  order_id: string;
  client_box: Uint8Array;
}

/** An event to be sent; goes when it is delivered, or after some days. No backup has it. */
export interface CallbackEventTable {
  id: string;
  /** Orders and cases are told at different times. */
  kind: EventKind;
  /** HMAC of the client's id and the kind: an order and a case share none. */
  queue_tag: string;
  /** The client, the event and the id of its order or case, encrypted. */
  box: Uint8Array;
  /** The day of the event until an attempt failed, then a minute. */
  due_at: number;
  /** Not tried after this; a day. */
  ends_at: number;
  attempts: number;
  /** 0 if it is not being sent. */
  claimed_until: number;
}

export const callbacksSql: readonly string[] = [
  `create table callbacks (
    id text not null primary key,
    client_tag text not null unique,
    box bytea not null,
    state text not null check (state in ('marking', 'set', 'ending')),
    created_on bigint not null,
    last_on bigint,
    last_fault text
  ) without rowid`,
  "create index callbacks_unsettled on callbacks (id) where state in ('marking', 'ending')",
  `create table case_callbacks (
    case_id text not null primary key references cases (id) on delete cascade,
    client_box bytea not null,
    told_at bigint not null,
    due_at bigint
  ) without rowid`,
  'create index case_callbacks_due on case_callbacks (due_at) where due_at is not null',
  `create table order_callbacks (
    order_id text not null primary key references orders (id) on delete cascade,
    client_box bytea not null
  ) without rowid`,
  `create table callback_events (
    id text not null primary key,
    kind text not null check (kind in ('order', 'case', 'test')),
    queue_tag text not null,
    box bytea not null,
    due_at bigint not null,
    ends_at bigint not null,
    attempts integer not null,
    claimed_until bigint not null
  ) without rowid`,
  'create index callback_events_due on callback_events (kind, due_at)',
  'create index callback_events_by_queue on callback_events (queue_tag)',
  'create index callback_events_ending on callback_events (ends_at)',
];
