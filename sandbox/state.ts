/** The provider's objects: their ids, and the SQLite file with them, which survives a crash at any moment. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Stripe } from 'stripe';
import { ProviderApiError } from './errors.ts';

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
export type StripeObjectFilter = Readonly<Partial<Record<'payment_intent' | 'charge' | 'type', string>>>;

/** More than 128 bits. */
const ID_LENGTH = 24;
const SESSION_ID_LENGTH = 58;

type Prefix = `${'cs_test' | 'pi' | 'ch' | 'py' | 're' | 'du' | 'evt' | 'req'}_`;

export function generateStripeId(prefix: Prefix): string {
  const length = prefix === 'cs_test_' ? SESSION_ID_LENGTH : ID_LENGTH;
  // 64 bytes are 86 characters, almost all of them letters and digits.
  return prefix + randomBytes(64).toString('base64').replaceAll(/\W/g, '').slice(0, length);
}

/** Returns the id of a field that holds an id or, if expanded, the object itself. */
export function toObjectId(reference: string | { readonly id: string } | null): string {
  return typeof reference === 'string' ? reference : (reference?.id ?? '');
}

export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

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
    this.#db.prepare(sql).run(...values);
  }

  queryRows<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#db.prepare(sql).all(...values) as T[];
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
    if (object !== undefined) return object;
    const message = `There is no ${kind} with the id '${id}'.`;
    throw new ProviderApiError(404, message, { code: 'resource_missing', param: 'id' });
  }

  /** Inserts a new object, or updates the stored one, which keeps its position in lists and its private `detail`. */
  storeObject(object: StripeObjectByKind[StripeObjectKind], detail: object | null = null): void {
    this.runStatement(
      `INSERT INTO objects (id, kind, created, json, detail) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET json = excluded.json`,
      object.id,
      object.object,
      object.created,
      JSON.stringify(object),
      JSON.stringify(detail),
    );
  }

  readDetail(id: string): unknown {
    const [row] = this.queryRows<{ detail: string }>('SELECT detail FROM objects WHERE id = ?', id);
    return JSON.parse(row?.detail ?? 'null');
  }

  /** Lists the newest first. */
  listObjects<K extends StripeObjectKind>(
    kind: K,
    filter: StripeObjectFilter,
    limit: number,
  ): StripeObjectByKind[K][] {
    const where = ['kind = ?', ...Object.keys(filter).map((field) => `json_extract(json, '$.${field}') = ?`)];
    const sql = `SELECT json FROM objects WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
    return this.queryRows<{ json: string }>(sql, kind, ...Object.values(filter), limit).map(
      (row) => JSON.parse(row.json) as StripeObjectByKind[K],
    );
  }
}
