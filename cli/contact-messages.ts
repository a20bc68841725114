/** Commands for contact messages: list, open, and mark as handled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTACT_DONE_DAYS } from '#cases/ending/retention.ts';
import type { WaitingContact } from '#desk/office/contact-reader.ts';
import type { OfficeClient } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { walkPages } from '#desk/office/waiting-lists.ts';
import { SECOND_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { encodePageCursor, type PageRequest, readListPage } from '#platform/page-cursor.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { type CommandReport, createCommand, requireOperand } from './command.ts';
import { officeOptions, withOffice } from './office-link.ts';
import {
  createBulkOptions,
  formatNextPageHint,
  pagingOptions,
  parsePageOptions,
  readBulkSelection,
  requireBulkConfirmation,
} from './selection.ts';
import { getIo } from './terminal/io.ts';
import {
  formatCount,
  formatDayOrDash,
  formatPairs,
  formatTable,
  formatTimeOrDash,
  terminalSafe,
} from './terminal/table.ts';

/** Fifty thousand messages; a longer list is treated as endless. */
const MAX_PAGES = 1_000;

/** Pauses between retries: in total longer than the minute over which an office limits the rate of requests. */
const PAUSES_MS = [1, 2, 4, 8, 16, 32].map((seconds) => seconds * SECOND_MS);

/** Errors for a message that another investigator has handled, or that has been purged, since it was listed. */
const OVERTAKEN = ['case_state', 'not_found'];

export const listContactMessagesCommand = createCommand({
  usage: 'contact list [--limit N] [--after CURSOR]',
  about: 'List contact messages that have not been handled yet, oldest first.',
  options: [...pagingOptions, ...officeOptions],
  work: async (options) => {
    const pageRequest = parsePageOptions(options);
    return await withOffice(options, async ({ office }) => {
      const { rows: messages, next } = await readListPage(
        pageRequest,
        (page) => listWaiting(office, page),
        ({ receivedAt }) => receivedAt,
      );
      const cells = messages.map((message) => [
        message.id,
        formatTimeOrDash(message.receivedAt),
        terminalSafe.line(message.sealedBy),
        formatDayOrDash(message.purgeAt),
      ]);
      const heads = ['MESSAGE', 'RECEIVED', 'SEALED BY', 'PURGED ON'];
      return {
        text: cells.length === 0 ? 'No messages.\n' : formatTable(heads, cells) + formatNextPageHint(next),
        json: { messages: messages.map(toContactJson), next },
      };
    });
  },
});

export const openContactMessageCommand = createCommand({
  usage: 'contact open ID',
  about: 'Open a contact message. Anyone may have written it.',
  options: officeOptions,
  operands: 1,
  work: async (values, [operand]) =>
    await withOffice(values, async ({ office }) => {
      const [message] = await requireWaiting(office, [requireOperand(operand, 'ID')]);
      const opened = await office.contact.open(message!.id);
      if ('unreadable' in opened)
        throw new ProgramError(
          opened.unreadable,
          opened.isOtherKey ? EXIT_CODES.noPermission : EXIT_CODES.dataError,
        );
      const { topic, message: text, reply_to: replyTo } = opened.said;
      return {
        text: formatPairs([
          ['Received', formatTimeOrDash(message!.receivedAt)],
          ['Topic', topic.replaceAll('_', ' ')],
          ['Reply to', replyTo || '-'],
          ['Message', text],
        ]),
        json: { message: toContactJson(message!), topic, text, reply_to: replyTo },
      };
    }),
});

export const closeContactMessageCommand = createCommand({
  usage: 'contact done ID… | contact done --all [--yes]',
  about: `Mark contact messages as handled; they are purged ${CONTACT_DONE_DAYS} days later, or earlier if too many are stored.`,
  options: [...createBulkOptions('mark every message that has not been handled yet'), ...officeOptions],
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes, ...values }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withOffice(values, async ({ office }) => {
      if (named) return await closeNamed(office, named);
      const open = await listWaiting(office, { limit: Number.POSITIVE_INFINITY });
      await requireBulkConfirmation({ count: open.length, what: 'messages', word: 'done' }, yes);
      return await closeAll(office, open);
    });
  },
});

async function closeNamed(office: OfficeClient, ids: readonly string[]): Promise<CommandReport> {
  const messages = await requireWaiting(office, ids);
  for (const { id } of messages) await office.contact.resolve(id);
  const [first] = messages;
  if (first && messages.length === 1)
    return {
      text: `Done. The message is purged in ${CONTACT_DONE_DAYS} days at the latest.\n`,
      json: { message: toContactJson(first) },
    };
  return {
    text: `Done: ${formatCount(messages.length, 'messages')}.\n`,
    json: { messages: messages.map(toContactJson) },
  };
}

/** Waits and continues when there are more messages than the office's rate limit allows. */
async function closeAll(office: OfficeClient, open: readonly WaitingContact[]): Promise<CommandReport> {
  let done = 0;
  const tellDone = () => `Done so far: ${done} of ${formatCount(open.length, 'messages')}.`;
  const tellWait = () => getIo().stderr.write(`Waiting: too many requests in one minute. ${tellDone()}\n`);
  try {
    for (const { id } of open) if (await resolveUnlessResolved(office, id, tellWait)) done += 1;
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    throw new ProgramError(`${error.message} ${tellDone()}`, error.exitCode, error);
  }
  return { text: `Done: ${formatCount(done, 'messages')}.\n`, json: { done } };
}

async function resolveUnlessResolved(
  office: OfficeClient,
  id: string,
  tellWait: () => void,
): Promise<boolean> {
  for (let tries = 0; ; tries += 1) {
    try {
      await office.contact.resolve(id);
      return true;
    } catch (error) {
      const problem = error instanceof OfficeFault ? readErrorCode(error.cause) : '';
      if (OVERTAKEN.includes(problem)) return false;
      const pauseMs = problem === 'rate_limited' ? PAUSES_MS[tries] : undefined;
      if (pauseMs === undefined) throw error;
      if (tries === 0) tellWait();
      await sleep(pauseMs);
    }
  }
}

/** Finds all messages before any is changed, so that a mistyped id changes nothing. The ids differ. */
async function requireWaiting(office: OfficeClient, ids: readonly string[]): Promise<WaitingContact[]> {
  const found = new Map<string, WaitingContact>();
  for await (const message of walkContactMessages(office)) {
    if (ids.includes(message.id)) found.set(message.id, message);
    if (found.size === ids.length) return [...found.values()];
  }
  throw new ProgramError(
    ids.length === 1
      ? 'No such message is waiting; a colleague may have handled it, or it may have been purged.'
      : 'Not all of these messages are waiting, so nothing was changed; a colleague may have handled some of them, or they may have been purged.',
  );
}

async function listWaiting(office: OfficeClient, { limit, after }: PageRequest): Promise<WaitingContact[]> {
  const messages: WaitingContact[] = [];
  for await (const message of walkContactMessages(office, after && encodePageCursor(after))) {
    messages.push(message);
    if (messages.length >= limit) break;
  }
  return messages;
}

async function* walkContactMessages(office: OfficeClient, start?: string): AsyncGenerator<WaitingContact> {
  const walk = { list: 'list of contact messages', maxPages: MAX_PAGES, start };
  for await (const { messages } of walkPages(walk, (after) => office.contact.read(after))) yield* messages;
}

function toContactJson({ id, sealedBy, receivedAt, purgeAt }: WaitingContact) {
  return {
    id,
    sealed_by: sealedBy,
    received_at: toIsoTime(receivedAt),
    // Handled messages are not listed.
    done_at: null,
    purge_at: toIsoTime(purgeAt),
  };
}
