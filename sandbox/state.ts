/** Stores the sandbox's objects in one SQLite file that survives a crash at any moment. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Stripe } from 'stripe';
import { Type } from 'typebox';
import { createMissingObjectError } from './errors.ts';
import { describeInteger } from './parameters.ts';

export interface StripeObjectByKind {
  'checkout.session': Stripe.Checkout.Session;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  event: Stripe.Event;
}
export type StripeObjectKind = keyof StripeObjectByKind;

/** Each value is compared with the stored object's field of the same name. */
type StripeObjectFilter = Readonly<Partial<Record<'payment_intent' | 'charge' | 'type', string | undefined>>>;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, created INTEGER NOT NULL,
    json TEXT NOT NULL, detail TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS objects_by_kind ON objects (kind, seq);
  CREATE INDEX IF NOT EXISTS objects_by_intent ON objects (kind, json_extract(json, '$.payment_intent'));
  CREATE TABLE IF NOT EXISTS responses (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, body TEXT NOT NULL, created INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS pending_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, attempts INTEGER NOT NULL, next_at INTEGER NOT NULL,
    created INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS pending_deliveries_by_time ON pending_deliveries (next_at);
  CREATE TABLE IF NOT EXISTS due (
    id INTEGER PRIMARY KEY, task TEXT NOT NULL, subject TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS due_by_time ON due (at);
`;

export class SandboxState {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(dataDir: string) {
    const folder = join(dataDir, 'sandbox');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#db = new DatabaseSync(join(folder, 'state.db'), { timeout: 5000 });
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    this.#db.exec(SCHEMA);
  }

  close(): void {
    this.#db.close();
  }

  /** Runs synchronous work atomically; a nested call joins the outer transaction. */
  runInTransaction<T>(work: () => T): T {
    if (this.#db.isTransaction) return work();
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  runStatement(sql: string, ...values: SQLInputValue[]): void {
    this.#prepareStatement(sql).run(...values);
  }

  queryRows<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#prepareStatement(sql).all(...values) as T[];
  }

  findObject<K extends StripeObjectKind>(kind: K, id: string): StripeObjectByKind[K] | undefined {
    const [row] = this.queryRows<{ json: string }>(
      'SELECT json FROM objects WHERE id = ? AND kind = ?',
      id,
      kind,
    );
    return row && (JSON.parse(row.json) as StripeObjectByKind[K]);
  }

  requireObject<K extends StripeObjectKind>(kind: K, id: string): StripeObjectByKind[K] {
    const object = this.findObject(kind, id);
    if (object === undefined) throw createMissingObjectError(kind, id);
    return object;
  }

  /** Inserts a new object or updates the stored one, which keeps its position in lists. */
  storeObject(object: StripeObjectByKind[StripeObjectKind]): void {
    this.runStatement(
      `INSERT INTO objects (id, kind, created, json) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET json = excluded.json`,
      object.id,
      object.object,
      object.created,
      JSON.stringify(object),
    );
  }

  /** Reads private data that is stored with an object. */
  readDetail(id: string): unknown {
    const [row] = this.queryRows<{ detail: string }>('SELECT detail FROM objects WHERE id = ?', id);
    return JSON.parse(row?.detail ?? 'null');
  }

  storeDetail(id: string, detail: unknown): void {
    this.runStatement('UPDATE objects SET detail = ? WHERE id = ?', JSON.stringify(detail), id);
  }

  /** Lists the newest first. A field that is undefined in the filter is not compared. */
  listObjects<K extends StripeObjectKind>(
    kind: K,
    filter: StripeObjectFilter,
    limit: number,
  ): StripeObjectByKind[K][] {
    const fields = Object.entries(filter).filter(([, value]) => value !== undefined);
    const where = ['kind = ?', ...fields.map(([field]) => `json_extract(json, '$.${field}') = ?`)];
    const sql = `SELECT json FROM objects WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
    const values = fields.map(([, value]) => value ?? null);
    return this.queryRows<{ json: string }>(sql, kind, ...values, limit).map(
      (row) => JSON.parse(row.json) as StripeObjectByKind[K],
    );
  }

  #prepareStatement(sql: string): StatementSync {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const prepared = this.#db.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** The paging parameter that every list accepts. */
export const Page = { limit: Type.Optional(describeInteger({ minimum: 1, maximum: 100 })) };

export function listStripeObjects<K extends StripeObjectKind>(
  state: SandboxState,
  kind: K,
  url: string,
  { limit = 10, ...filter }: StripeObjectFilter & { readonly limit?: number },
): Stripe.ApiList<StripeObjectByKind[K]> {
  const found = state.listObjects(kind, filter, limit + 1);
  return { object: 'list', data: found.slice(0, limit), has_more: found.length > limit, url };
}
