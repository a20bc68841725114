/** Commands for contact messages: list, open, and mark as handled. */
import { resolveContactMessages, resolveOpenContactMessages } from '#cases/contact.ts';
import { CONTACT_DONE_DAYS } from '#cases/retention.ts';
import { ServiceError } from '#platform/errors.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { openContactMessage, validateContactMessage } from '#seal/contact-message.ts';
import { SealError } from '#seal/seal-error.ts';
import {
  type ContactMessageRecord,
  findContactMessage,
  listOpenContactMessageIds,
  listOpenContactMessages,
} from '#store/contact-messages.ts';
import { bulkOptions, createBulkHelp, readBulkSelection, requireBulkConfirmation } from './bulk-selection.ts';
import { formatDayOrDash, formatTimeOrDash } from './case-facts.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { type CommandReport, createCommand, requireOperand } from './command.ts';
import { formatCount } from './count-text.ts';
import { deskKeyHelp, deskKeyOption, readDeskKey } from './desk-key.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { formatPairs, formatTable } from './table.ts';

export const listContactMessagesCommand = createCommand({
  usage: 'contact list [--limit N] [--after CURSOR]',
  about: 'List contact messages that are not handled yet, the oldest first. No key is needed.',
  help: pagingHelp,
  options: pagingOptions,
  operands: 0,
  work: async (options) => {
    const pageRequest = parsePageOptions(options);
    return await withStore(async ({ store }) => {
      const { rows: messages, next } = await readListPage(
        pageRequest,
        (page) => listOpenContactMessages(store.records, page),
        ({ received_at }) => received_at,
      );
      const cells = messages.map((message) => [
        message.id,
        formatTimeOrDash(message.received_at),
        message.sealed_by,
        formatDayOrDash(message.purge_at),
      ]);
      const heads = ['MESSAGE', 'RECEIVED', 'SEALED BY', 'PURGED ON'];
      return {
        text: cells.length === 0 ? 'No messages.\n' : formatTable(heads, cells) + formatNextPageHint(next),
        json: { messages: messages.map(toContactMessageJson), next },
      };
    });
  },
});

export const openContactMessageCommand = createCommand({
  usage: 'contact open ID --key FILE',
  about: 'Open a contact message. Anyone may have written it.',
  help: [deskKeyHelp],
  options: deskKeyOption,
  operands: 1,
  work: async ({ key }, [id]) => {
    const identity = await readDeskKey(key);
    return await withStore(async (services) => {
      const record = await requireContactMessage(services, requireOperand(id, 'ID'));
      const checked = validateContactMessage(await openContactMessage(record.sealed, identity));
      if ('errors' in checked) throw new SealError('tampered', 'This is not a valid contact message.');
      const { topic, message, reply_to: replyTo } = checked.message;
      return {
        text: formatPairs([
          ['Received', formatTimeOrDash(record.received_at)],
          ['Topic', topic.replaceAll('_', ' ')],
          ['Answer to', replyTo || '-'],
          ['Message', message],
        ]),
        json: { message: toContactMessageJson(record), topic, text: message, reply_to: replyTo },
      };
    });
  },
});

export const closeContactMessageCommand = createCommand({
  usage: 'contact done ID… | contact done --all [--yes]',
  about: `Mark contact messages as handled; they are purged ${CONTACT_DONE_DAYS} days later, or earlier if the box is full.
No key is needed.`,
  help: createBulkHelp('mark every message that is not handled yet'),
  options: bulkOptions,
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withStore(async (services) => {
      if (named) return await closeContactMessages(services, named);
      const open = await listOpenContactMessageIds(services.store.records);
      await requireBulkConfirmation({ count: open.length, what: 'messages', word: 'done' }, yes);
      const done = await resolveOpenContactMessages(services, open, null);
      return { text: `Done: ${formatCount(done, 'messages')}.\n`, json: { done } };
    });
  },
});

async function closeContactMessages(services: CliServices, ids: readonly string[]): Promise<CommandReport> {
  await resolveContactMessages(services, ids, null);
  const records = await Promise.all(ids.map((id) => requireContactMessage(services, id)));
  const [first] = records;
  if (first && records.length === 1)
    return {
      text: `Done. The message is purged on ${formatDayOrDash(first.purge_at)}.\n`,
      json: { message: toContactMessageJson(first) },
    };
  return {
    text: `Done: ${formatCount(records.length, 'messages')}.\n`,
    json: { messages: records.map(toContactMessageJson) },
  };
}

async function requireContactMessage({ store }: CliServices, id: string): Promise<ContactMessageRecord> {
  const record = await findContactMessage(store.records, id);
  if (!record) throw new ServiceError('not_found');
  return record;
}

function toContactMessageJson({ id, sealed_by, received_at, done_at, purge_at }: ContactMessageRecord) {
  return {
    id,
    sealed_by,
    received_at: toIsoTimeOrNull(received_at),
    done_at: toIsoTimeOrNull(done_at),
    purge_at: toIsoTimeOrNull(purge_at),
  };
}
