/** The numbers of large rows: SQLite finds a row by its number, and needs no index of ids if that is made of the id. */
import { hash } from 'node:crypto';

/** 53 bits, as many as a number of JavaScript holds exactly. Like the id, it does not tell when the row was written. */
export function toRowNumber(id: string): number {
  return Number(hash('sha256', id, 'buffer').readBigUInt64BE() >> 11n);
}
