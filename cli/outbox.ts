/** Commands for e-mail that waits or has been given up on: list, retry, drop. */
import { ServiceError } from '#platform/errors.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import {
  countUntriedOutbox,
  DEAD_DAYS,
  dropOutboxEntry,
  type ListedOutboxEntry,
  listFailedOutboxIds,
  listOutboxEntries,
  retryOutboxEntry,
} from '#store/outbox.ts';
import { RETRY_MS } from '#store/outbox-worker.ts';
import { withStore } from './cli-services.ts';
import { createCommand } from './command.ts';
import {
  createBulkOptions,
  formatNextPageHint,
  pagingOptions,
  parsePageOptions,
  readBulkSelection,
  requireBulkConfirmation,
} from './selection.ts';
import { formatAge, formatCount, formatTable, formatTimeOrDash } from './terminal/table.ts';

export const listOutboxCommand = createCommand({
  usage: 'outbox list [--limit N] [--after CURSOR]',
  about: `List e-mails that are waiting or have been given up on, oldest first, and why the last attempt failed.
Addresses and contents are not shown. E-mails that were given up on are kept for ${DEAD_DAYS} days.`,
  options: pagingOptions,
  work: async (options) => {
    const pageRequest = parsePageOptions(options);
    return await withStore(async ({ clock, store }) => {
      const { rows, next } = await readListPage(
        pageRequest,
        (page) => listOutboxEntries(store.records, page),
        ({ waits_since }) => waits_since,
      );
      const now = clock.now();
      return {
        text:
          rows.length === 0 ? 'Nothing is waiting.\n' : formatEntries(rows, now) + formatNextPageHint(next),
        json: { entries: rows.map(toOutboxJson), next },
      };
    });
  },
});

interface OutboxChange {
  readonly usage: string;
  readonly about: string;
  readonly all: string;
  readonly word: string;
  readonly done: string;
  readonly change: typeof retryOutboxEntry;
}

function createOutboxChangeCommand({ usage, about, all: allHelp, word, done, change }: OutboxChange) {
  return createCommand({
    usage,
    about,
    options: createBulkOptions(allHelp),
    operands: Number.POSITIVE_INFINITY,
    work: async ({ all, yes }, ids) => {
      const named = readBulkSelection(all, ids);
      return await withStore(async ({ clock, store }) => {
        const chosen = named ?? (await listFailedOutboxIds(store.records));
        if (!named) await requireBulkConfirmation({ count: chosen.length, what: 'e-mails', word }, yes);
        const changed = await store.transaction(async (records) => {
          const found: string[] = [];
          for (const id of chosen) if (await change(records, id, clock.now())) found.push(id);
          // The operator typed the ids, so an id that is not found is a mistake.
          if (named && found.length < chosen.length) throw createMissingEntryError();
          return found;
        });
        const text = `${done}: ${changed.length}.\n`;
        if (named) return { text, json: { changed } };
        const left = await countUntriedOutbox(store.records);
        const hint = `Not changed: ${formatCount(left, 'e-mails')} not tried yet; the service sends them by itself.\n`;
        return { text: left > 0 ? text + hint : text, json: { changed, left } };
      });
    },
  });
}

export const retryOutboxCommand = createOutboxChangeCommand({
  usage: 'outbox retry ID… | outbox retry --all [--yes]',
  about: `Try to send e-mails again now, and for up to ${formatDurationInWords(RETRY_MS)} if this fails. An obsolete e-mail, such as one with an expired link, is not sent.`,
  all: 'every e-mail that could not be sent, given up on or not',
  word: 'retry',
  done: 'Will be sent now',
  change: retryOutboxEntry,
});

export const dropOutboxCommand = createOutboxChangeCommand({
  usage: 'outbox drop ID… | outbox drop --all [--yes]',
  about: 'Delete e-mails that are waiting or have been given up on. They are never sent.',
  all: 'every e-mail that could not be sent, given up on or not',
  word: 'drop',
  done: 'Dropped',
  change: dropOutboxEntry,
});

function createMissingEntryError(): ServiceError {
  const detail =
    'At least one of these e-mails is not in the outbox, or is being sent at this moment; nothing was changed.';
  return new ServiceError('not_found', { detail });
}

function formatEntries(rows: readonly ListedOutboxEntry[], now: number): string {
  const cells = rows.map((row) => [
    row.id,
    row.topic,
    row.dead ? 'given up' : 'waiting',
    String(row.attempts),
    formatAge(now - row.waits_since),
    row.dead ? '-' : formatTimeOrDash(row.due_at),
    row.reason ?? '-',
  ]);
  return formatTable(['E-MAIL', 'TOPIC', 'STATE', 'TRIES', 'AGE', 'NEXT TRY', 'LAST FAULT'], cells);
}

/** Scripts rely on these names and formats, so they must not change. */
function toOutboxJson(row: ListedOutboxEntry) {
  return {
    id: row.id,
    topic: row.topic,
    state: row.dead ? 'dead' : 'waiting',
    attempts: row.attempts,
    since: toIsoTime(row.waits_since),
    next_try: row.dead ? null : toIsoTime(row.due_at),
    reason: row.reason,
  };
}
