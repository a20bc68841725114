/** Contact messages: which are waiting, what they say, and that they were dealt with. */
import { closeMessage } from '#cases/contact.ts';
import { ServiceError } from '#platform/errors.ts';
import { openContactMessage, validateContactMessage } from '#seal/contact-message.ts';
import { SealError } from '#seal/seal-error.ts';
import { type ContactRecord, findContactMessage, openContactMessages } from '#store/contact-messages.ts';
import { dayText, iso, timeText } from './case-facts.ts';
import { command, demanded } from './command.ts';
import { keyHelp, keyOption, readDeskKey } from './desk-key.ts';
import { cursorLine, limitOf, nextCursor, pageHelp, pageOptions, readCursor } from './list-pages.ts';
import { inOffice, type Office } from './office.ts';
import { pairs, table } from './table.ts';

export const listContacts = command({
  usage: 'contact list [--limit N] [--after CURSOR]',
  about: 'List contact messages that nobody has dealt with, the oldest first. No key is needed.',
  help: pageHelp,
  options: pageOptions,
  operands: 0,
  work: async ({ limit: limitText, after: cursor }) => {
    const limit = limitOf(limitText);
    const after = cursor === undefined ? undefined : readCursor(cursor);
    return await inOffice(async ({ store }) => {
      const from = after ? { after: { received_at: after.at, id: after.id } } : {};
      const found = await openContactMessages(store.records, { limit, ...from });
      const last = found.at(-1);
      const next = nextCursor(found.length, limit, last && { at: last.received_at, id: last.id });
      const rows = found.map((each) => [
        each.id,
        timeText(each.received_at),
        each.sealed_by,
        dayText(each.purge_at),
      ]);
      const heads = ['MESSAGE', 'RECEIVED', 'SEALED BY', 'PURGED ON'];
      return {
        text: rows.length === 0 ? 'No messages.\n' : table(heads, rows) + cursorLine(next),
        json: { messages: found.map(contactJson), next },
      };
    });
  },
});

export const openContact = command({
  usage: 'contact open ID --key FILE',
  about: 'Open a contact message. Anybody may have written it.',
  help: [keyHelp],
  options: keyOption,
  operands: 1,
  work: async ({ key }, [id]) => {
    const identity = await readDeskKey(key);
    return await inOffice(async (office) => {
      const record = await demandContact(office, demanded(id, 'ID'));
      const checked = validateContactMessage(await openContactMessage(record.sealed, identity));
      if ('errors' in checked)
        throw new SealError('tampered', 'It is not a message as this service takes them.');
      const { topic, message, reply_to: replyTo } = checked.message;
      return {
        text: pairs([
          ['Received', timeText(record.received_at)],
          ['Topic', topic.replaceAll('_', ' ')],
          ['Answer to', replyTo || '-'],
          ['Message', message],
        ]),
        json: { message: contactJson(record), topic, text: message, reply_to: replyTo },
      };
    });
  },
});

export const closeContact = command({
  usage: 'contact done ID',
  about: 'Note that a contact message was dealt with; it is purged 30 days later. No key is needed.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await inOffice(async (office) => {
      const { id: found } = await demandContact(office, demanded(id, 'ID'));
      await closeMessage(office, found);
      const record = await demandContact(office, found);
      return {
        text: `Done. The message is purged on ${dayText(record.purge_at)}.\n`,
        json: { message: contactJson(record) },
      };
    }),
});

async function demandContact({ store }: Office, id: string): Promise<ContactRecord> {
  const found = await findContactMessage(store.records, id);
  if (!found) throw new ServiceError('not_found');
  return found;
}

function contactJson({ id, sealed_by, received_at, done_at, purge_at }: ContactRecord) {
  return {
    id,
    sealed_by,
    received_at: iso(received_at),
    done_at: iso(done_at),
    purge_at: iso(purge_at),
  };
}
