/** Says which objects of a case a reader has; void as soon as one of them has gone or another has come between them. */
import { createHash } from 'node:crypto';
import type { StoredObject } from '#store/cases/objects.ts';

/** `objects` are those that the reader was sent, oldest first. */
export function createReadCursor(objects: readonly StoredObject[]): string {
  const ids = objects.map(({ id }) => id).join(' ');
  return `${objects.length}.${createHash('sha256').update(ids).digest('base64url')}`;
}

/** How many of the oldest objects the reader has; 0 for a cursor of other objects, or an invalid one. */
export function countReadObjects(objects: readonly StoredObject[], cursor: string | undefined): number {
  const count = Number.parseInt(cursor ?? '', 10);
  return createReadCursor(objects.slice(0, Math.max(0, count))) === cursor ? count : 0;
}
