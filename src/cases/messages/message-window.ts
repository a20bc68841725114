/** Which messages of a long case are opened and shown at once when the service opens it: each costs milliseconds. */

import { createHash } from 'node:crypto';
import { messageKinds } from '#seal/case/message.ts';
import type { ThreadPart } from '#seal/case/thread.ts';
import { formatPlace, type SealedPlace } from '#seal/core/envelope.ts';
import type { StoredObject } from '#store/cases/objects.ts';

const SHOWN_AT_ONCE = 20;
/** The desk's last messages have what was agreed, such as a booked time, however many messages followed. */
const DESK_ALWAYS_OPENED = 5;

type MessagePlace = Pick<ThreadPart, 'by' | 'seq'>;

export interface MessageWindow {
  /** How many of the newest messages the window skips. */
  readonly newer: number;
  /** How many the next older window skips; null if there are no older messages. */
  readonly older: number | null;
  readonly opens: (place: SealedPlace) => boolean;
  readonly shows: (message: MessagePlace) => boolean;
  readonly passesOver: (message: MessagePlace) => boolean;
}

/** `places` are oldest first. */
export function createMessageWindow(places: readonly SealedPlace[], newer: number): MessageWindow {
  const messages = places.filter(isMessage);
  const end = Math.max(0, messages.length - newer);
  const start = Math.max(0, end - SHOWN_AT_ONCE);
  const shown = toPlaceSet(messages.slice(start, end));
  const passed = toPlaceSet(messages.slice(end));
  const desk = messages.filter(({ kind }) => kind === messageKinds.desk);
  const always = toPlaceSet(desk.slice(-DESK_ALWAYS_OPENED));
  return {
    newer,
    older: start > 0 ? messages.length - start : null,
    opens: (place) => !isMessage(place) || shown.has(formatPlace(place)) || always.has(formatPlace(place)),
    shows: (message) => shown.has(formatMessagePlace(message)),
    passesOver: (message) => passed.has(formatMessagePlace(message)),
  };
}

function isMessage({ kind }: SealedPlace): boolean {
  return kind === messageKinds.buyer || kind === messageKinds.desk;
}

function formatMessagePlace({ by, seq }: MessagePlace): string {
  return formatPlace({ kind: messageKinds[by], seq });
}

function toPlaceSet(places: readonly SealedPlace[]): ReadonlySet<string> {
  return new Set(places.map(formatPlace));
}

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
