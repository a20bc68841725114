/** Commands for contact messages: list, open, and mark as handled. */
import { CONTACT_DONE_DAYS } from '#cases/retention.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { openContactMessage, validateContactMessage } from '#seal/contact-message.ts';
import { SealError } from '#seal/seal-error.ts';
import { bulkOptions, createBulkHelp, readBulkSelection, requireBulkConfirmation } from './bulk-selection.ts';
import { formatDayOrDash, formatTimeOrDash } from './case-facts.ts';
import { type CommandReport, createCommand, requireOperand } from './command.ts';
import { type ContactLetter, type ContactSource, withContactSource } from './contact-source.ts';
import { formatCount } from './count-text.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import {
  officeAloneHelp,
  officeKeyHelp,
  officeKeyOptions,
  readDeskAccess,
  readOfficeAlone,
  readOptionalAccess,
} from './pinning-key.ts';
import { formatPairs, formatTable } from './table.ts';

export const listContactMessagesCommand = createCommand({
  usage: 'contact list [--limit N] [--after CURSOR]',
  about: 'List contact messages that are not handled yet, the oldest first. No key is needed.',
  help: [...pagingHelp, ...officeAloneHelp],
  options: { ...pagingOptions, ...officeKeyOptions },
  operands: 0,
  work: async (options) => {
    const pageRequest = parsePageOptions(options);
    return await withContactSource(await readOfficeAlone(options), async ({ listLetters }) => {
      const { rows: messages, next } = await readListPage(
        pageRequest,
        listLetters,
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
  help: officeKeyHelp,
  options: officeKeyOptions,
  operands: 1,
  work: async (values, [id]) => {
    const access = (await readOptionalAccess(values)) ?? (await readDeskAccess(values));
    return await withContactSource(access, async ({ requireLetter }) => {
      const record = await requireLetter(requireOperand(id, 'ID'));
      const checked = validateContactMessage(await openContactMessage(record.sealed, access.identity));
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
  help: [...createBulkHelp('mark every message that is not handled yet'), ...officeAloneHelp],
  options: { ...bulkOptions, ...officeKeyOptions },
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes, ...values }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withContactSource(await readOfficeAlone(values), async (source) => {
      if (named) return await closeContactMessages(source, named);
      const open = await source.listOpenIds();
      await requireBulkConfirmation({ count: open.length, what: 'messages', word: 'done' }, yes);
      const done = await source.resolveOpen(open);
      return { text: `Done: ${formatCount(done, 'messages')}.\n`, json: { done } };
    });
  },
});

async function closeContactMessages(
  { resolve }: ContactSource,
  ids: readonly string[],
): Promise<CommandReport> {
  const letters = await resolve(ids);
  const [first] = letters;
  if (first && letters.length === 1)
    return {
      text: `Done. The message is purged ${first.purge_at === null ? `in ${CONTACT_DONE_DAYS} days at the latest` : `on ${formatDayOrDash(first.purge_at)}`}.\n`,
      json: { message: toContactMessageJson(first) },
    };
  return {
    text: `Done: ${formatCount(letters.length, 'messages')}.\n`,
    json: { messages: letters.map(toContactMessageJson) },
  };
}

function toContactMessageJson({ id, sealed_by, received_at, done_at, purge_at }: ContactLetter) {
  return {
    id,
    sealed_by,
    received_at: toIsoTimeOrNull(received_at),
    done_at: toIsoTimeOrNull(done_at),
    purge_at: toIsoTimeOrNull(purge_at),
  };
}
