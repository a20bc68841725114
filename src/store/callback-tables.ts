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
