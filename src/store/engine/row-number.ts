/** Row numbers derived from ids: SQLite finds a large row by its number, without an index of ids. */
import { hash } from 'node:crypto';

/** 53 bits, as many as a JavaScript number holds exactly. Like the id, it does not reveal when the row was written. */
export function toRowNumber(id: string): number {
  return Number(hash('sha256', id, 'buffer').readBigUInt64BE() >> 11n);
}
