/** A connection on which every query sees the records of one moment: what each engine has to provide. */

import type { RecordValue, TypedColumn } from '../schema/typed-columns.ts';
import type { DatabaseEngine } from './engine.ts';

export interface SnapshotConnection {
  readonly engine: DatabaseEngine['name'];
  readonly tableNamesSql: string;
  readonly referencesSql: string;
  readonly query: (sql: string) => Promise<Record<string, RecordValue>[]>;
  readonly listColumns: (table: string) => Promise<TypedColumn[]>;
  /** Sorted by the first column, which is random: the order of writing would reveal which order paid for which case. */
  readonly readRows: (table: string, condition: string) => AsyncIterable<Record<string, RecordValue>>;
  readonly measureBytes: () => Promise<number>;
  readonly close: () => Promise<void>;
}
