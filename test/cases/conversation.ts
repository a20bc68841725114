/** Writes both sides of a conversation as the pages and the command line do, and deletes single messages. */
import assert from 'node:assert/strict';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import type { LinkedMessage } from '#seal/case/case-content.ts';
import {
  type CaseActor,
  type DeskMessageAct,
  messageKinds,
  validateCaseMessage,
} from '#seal/case/message.ts';
import { sealCaseMessage, sealDeskMessage } from '#seal/case/sealed-message.ts';
import { deriveWordKeys } from '#seal/core/words.ts';
import type { Case } from '#store/cases/cases.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import type { TestShop } from '#test/test-shop.ts';
import { requireCaseByWords } from './stored-case.ts';

/** Without the second answer, the third seems to belong to the second question. */
const riskyConversation = [
  ['desk', 'Do you know him?'],
  ['buyer', 'No.'],
  ['desk', 'May we contact the subject directly?'],
  ['buyer', 'NEVER contact him, he is violent.'],
  ['buyer', 'Yes, whatever you think is best about the format.'],
] as const satisfies readonly (readonly [by: CaseActor, text: string])[];

/** The order of the texts on a page from which the second answer is missing. */
export const GAP_IN_ITS_PLACE =
  /May we contact the subject directly\?.*Message 2 is missing\..*Yes, whatever you think is best.*Can’t be checked, because a message above is missing\./s;

export async function writeRiskyConversation(shop: TestShop, words: string): Promise<void> {
  for (const [by, text] of riskyConversation) await writeToCase(shop, words, by, text);
}

/** `seen` is how many messages of the other side the writer has read; by default all. */
export async function writeToCase(
  shop: TestShop,
  words: string,
  by: CaseActor,
  text: string,
  seen?: number,
): Promise<void> {
  const { id, key, messages } = await openWithWords(shop, words);
  const checked = validateCaseMessage({ text });
  assert.ok('message' in checked);
  const { message } = checked;
  const sealed = await sealCaseMessage(key, messages, {
    by,
    message,
    ...(seen === undefined ? {} : { seen }),
  });
  await addCaseMessage(shop.services, id, { by, ...sealed });
}

/** Seals a message with its act, as the command line and the desk do. */
export async function writeFromDesk(
  shop: TestShop,
  words: string,
  text: string,
  act: Exclude<DeskMessageAct, 'book_call'> = 'message',
  keepDays: 30 | 90 = 90,
): Promise<void> {
  const { id, key, messages, record } = await openWithWords(shop, words);
  const checked = validateCaseMessage({ text });
  assert.ok('message' in checked);
  const sealed = await sealDeskMessage(
    key,
    { messages },
    {
      message: checked.message,
      act,
      ...(act === 'retain' ? { keepDays } : {}),
      seen: messages.filter(({ by }) => by === 'buyer').length,
      findingSeq: record.finding_seq,
      isReleased: (record.delivered_at ?? Infinity) <= shop.services.clock.now(),
    },
  );
  await addCaseMessage(shop.services, id, {
    by: 'desk',
    ...sealed,
    ...(act === 'ask' || act === 'decline' ? { act } : {}),
    ...(act === 'retain' ? { retain: keepDays } : {}),
  });
}

/** Makes the service contradict what the desk has sealed. */
export async function updateToldCase(shop: TestShop, words: string, changes: Partial<Case>): Promise<void> {
  const { id } = await openWithWords(shop, words);
  await shop.store.records.updateTable('cases').set(changes).where('id', '=', id).execute();
}

export async function listLinks(shop: TestShop, words: string): Promise<string[]> {
  const { messages } = await openWithWords(shop, words);
  return messages.map(({ by, seq, link }) => `${by} ${seq} ${link}`);
}

/** Deletes a message as an attacker with the database can without any key. */
export async function deleteStoredMessage(
  shop: TestShop,
  words: string,
  by: CaseActor,
  seq: number,
): Promise<void> {
  const { id } = await openWithWords(shop, words);
  const { records } = shop.store;
  const found = records
    .selectFrom('objects')
    .select('id')
    .where('case_id', '=', id)
    .where('kind', '=', messageKinds[by])
    .where('seq', '=', seq);
  const { id: objectId } = await found.executeTakeFirstOrThrow();
  await records.deleteFrom('objects').where('id', '=', objectId).execute();
}

export async function openWithWords(shop: TestShop, words: string) {
  const record = await requireCaseByWords(shop, words);
  const { identity } = await deriveWordKeys(words);
  const opened = await openSealedCase(await readSealedCase(shop.services, record), identity);
  const messages: readonly LinkedMessage<number>[] = opened.messages;
  return { id: record.id, key: opened.key, messages, record };
}
