/** The steps that move every sealed and tagged row from the previous master key to the new one. */
import type { Updateable } from 'kysely';
import { buildWordsUserTags, computeCaseOwnerTag, deriveWordsTag } from '#cases/access.ts';
import { deriveUploader } from '#cases/intake/uploads.ts';
import { deriveCaseUploader } from '#cases/messages/message-files.ts';
import { NOTICE_ADDRESS_PURPOSE } from '#cases/notices/notice-address.ts';
import type { Voucher } from '#payments/redeem.ts';
import { encryptSessionId } from '#payments/session-id.ts';
import { forgetNotice } from '#store/cases/notices.ts';
import { deleteUser } from '#store/clients/users.ts';
import {
  computeQueueTag,
  computeWebhookTag,
  type EventFacts,
  WEBHOOK_CLIENT_PURPOSE,
  WEBHOOK_EVENT_PURPOSE,
  WEBHOOK_PURPOSE,
  type WebhookFacts,
} from '#store/clients/webhook-ciphertexts.ts';
import type { KeyPurpose } from '#store/keys/keyring.ts';
import {
  deleteSealedRow,
  findTaggedId,
  listValues,
  readRowKey,
  replaceOwnerTag,
  replaceUploader,
  type SealedRow,
  type SealedTable,
  updateSealedRow,
} from '#store/keys/sealed-rows.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import type { Records, Tables } from '#store/schema/tables.ts';
import { type KeyChange, openSecret, type RowChange, type RowStep, resealSecret } from './master-key-rows.ts';

/** `maintainer` replaces an address that is lost. */
export async function createRowSteps(
  change: KeyChange,
  records: Records,
  maintainer: string,
): Promise<readonly RowStep[]> {
  return [
    createOrderStep(change),
    createUserStep(change, await mapWordsTags(records, change)),
    createCaseStep(change),
    {
      ...createCiphertextStep(change, 'notices', 'address_ciphertext', NOTICE_ADDRESS_PURPOSE),
      giveUp: (at: Records, { id }: SealedRow<'notices'>) => forgetNotice(at, id),
    },
    createRegistrationStep(change, maintainer),
    createWebhookStep(change),
    createEventStep(change),
    createCiphertextStep(change, 'case_webhooks', 'client_ciphertext', WEBHOOK_CLIENT_PURPOSE),
    createCiphertextStep(change, 'order_webhooks', 'client_ciphertext', WEBHOOK_CLIENT_PURPOSE),
    createCiphertextStep(change, 'kept_secrets', 'ciphertext'),
  ];
}

/** If the session is lost, the provider's next event finds the order, because it names it. */
function createOrderStep(change: KeyChange): RowStep<'orders'> {
  return {
    table: 'orders',
    plan: ({ id, session_ciphertext: ciphertext, payment, redeemed }) => {
      const opened = ciphertext && openSecret(change, { purpose: 'order session', ciphertext, context: id });
      const session = opened && !opened.isMoved ? encryptSessionId(change.to, opened.secret, id) : null;
      // The owner is empty, because the uploader does not depend on it.
      const vouchers: Voucher[] = [{ orderId: id, owner: { clientId: '', userId: null } }];
      if (opened) vouchers.push({ sessionId: opened.secret });
      const moveUploads = payment === 'paid' && redeemed === 0 ? createUploadMove(change, vouchers) : null;
      if (session === null && moveUploads === null) return null;
      return async (records) => {
        const columns = session && { session_tag: session.tag, session_ciphertext: session.ciphertext };
        if (columns) await updateSealedRow(records, 'orders', id, columns);
        await moveUploads?.(records);
      };
    },
    giveUp: (records, { id }) =>
      updateSealedRow(records, 'orders', id, { session_tag: null, session_ciphertext: null }),
  };
}

/** Moves uploads that wait for an inquiry: they are found by what proves that it was paid. */
function createUploadMove({ from, to }: KeyChange, vouchers: readonly Voucher[]): RowChange | null {
  if (from === null) return null;
  return async (records) => {
    for (const voucher of vouchers)
      await replaceUploader(records, deriveUploader(from, voucher), deriveUploader(to, voucher));
  };
}

/**
 * One person has two entries only if a service ran with the previous key after a change. The later one is deleted:
 * the person consents again, and programs find what they bought for the person by the earlier one.
 */
function createUserStep(change: KeyChange, wordsTags: ReadonlyMap<string, string>): RowStep<'users'> {
  return {
    table: 'users',
    plan: (user) => {
      const columns = resealAddress(change, user) ?? resealWords(change, user, wordsTags);
      if (columns === null) return null;
      const tag =
        'address_tag' in columns ? { address_tag: columns.address_tag } : { words_tag: columns.words_tag };
      return async (records) => {
        const earlier = await findTaggedId(records, 'users', tag, user.id);
        if (earlier === null) return await updateSealedRow(records, 'users', user.id, columns);
        await mergeUser(records, change, user.id, earlier);
        return 'merged';
      };
    },
    giveUp: (records, { id }) => deleteUser(records, id),
  };
}

async function mergeUser(
  records: Records,
  { from, to }: KeyChange,
  later: string,
  earlier: string,
): Promise<void> {
  for (const table of ['orders', 'cases'] as const)
    for await (const clientId of listValues(records, ['clients', 'id'])) {
      const owner = ownerTags[table](to, { clientId, userId: earlier });
      for (const keyring of [from ?? to, to]) {
        const previous = ownerTags[table](keyring, { clientId, userId: later });
        await replaceOwnerTag(records, table, { previous, owner, limit: Number.MAX_SAFE_INTEGER });
      }
    }
  await deleteUser(records, later);
}

export const ownerTags = { orders: computeOrderOwnerTag, cases: computeCaseOwnerTag } as const;

function resealAddress(change: KeyChange, { id, address_ciphertext: ciphertext }: SealedRow<'users'>) {
  const resealed = ciphertext && resealSecret(change, { purpose: 'user address', ciphertext, context: id });
  if (!resealed) return null;
  return {
    address_tag: change.to.tag('user address', resealed.secret),
    address_ciphertext: resealed.ciphertext,
  };
}

function resealWords(
  change: KeyChange,
  { id, words_ciphertext: ciphertext }: SealedRow<'users'>,
  wordsTags: ReadonlyMap<string, string>,
) {
  const resealed = ciphertext && resealSecret(change, { purpose: 'words user', ciphertext, context: id });
  if (!resealed) return null;
  // After its case was purged, a user keeps the previous tag: there is nothing to find.
  return buildWordsUserTags(change.to, wordsTags.get(resealed.secret) ?? resealed.secret, id);
}

/** Maps previous to new tags of all cases: a user's row has only the tag, and the case may have either. */
async function mapWordsTags(records: Records, { from, to }: KeyChange): Promise<ReadonlyMap<string, string>> {
  const tags = new Map<string, string>();
  if (from === null) return tags;
  for await (const hash of listValues(records, ['cases', 'lookup_hash']))
    tags.set(deriveWordsTag(from, hash), deriveWordsTag(to, hash));
  return tags;
}

function createCaseStep({ from, to }: KeyChange): RowStep<'cases'> {
  return {
    table: 'cases',
    plan: ({ id, lookup_hash: hash, words_tag: known }) => {
      const tag = deriveWordsTag(to, hash);
      if (tag === known) return null;
      return async (records) => {
        await updateSealedRow(records, 'cases', id, { words_tag: tag });
        if (from) await replaceUploader(records, deriveCaseUploader(from, id), deriveCaseUploader(to, id));
      };
    },
    giveUp: async () => {},
  };
}

/** A program stays approved; messages to its maker go to the maintainer. */
function createRegistrationStep(change: KeyChange, maintainer: string): RowStep<'registrations'> {
  const purpose = 'registration contact';
  return {
    ...createCiphertextStep(change, 'registrations', 'contact_ciphertext', purpose),
    giveUp: (records, { id }) =>
      updateSealedRow(records, 'registrations', id, {
        contact_ciphertext: change.to.seal(purpose, maintainer, id),
      }),
  };
}

function createWebhookStep(change: KeyChange): RowStep<'webhooks'> {
  return {
    table: 'webhooks',
    plan: ({ id, ciphertext }) => {
      const resealed = resealSecret(change, { purpose: WEBHOOK_PURPOSE, ciphertext, context: id });
      if (!resealed) return null;
      const { clientId } = JSON.parse(resealed.secret) as WebhookFacts;
      const tag = computeWebhookTag(change.to, clientId);
      return async (records) => {
        // The program has set its webhook again at a service that ran with the previous key after a change.
        const earlier = await findTaggedId(records, 'webhooks', { client_tag: tag }, id);
        if (earlier !== null) await deleteSealedRow(records, 'webhooks', earlier);
        await updateSealedRow(records, 'webhooks', id, { client_tag: tag, ciphertext: resealed.ciphertext });
      };
    },
    giveUp: (records, { id }) => deleteSealedRow(records, 'webhooks', id),
  };
}

function createEventStep(change: KeyChange): RowStep<'webhook_events'> {
  return {
    table: 'webhook_events',
    plan: ({ id, kind, ciphertext }) => {
      const resealed = resealSecret(change, { purpose: WEBHOOK_EVENT_PURPOSE, ciphertext, context: id });
      if (!resealed) return null;
      const { clientId } = JSON.parse(resealed.secret) as EventFacts;
      const columns = {
        queue_tag: computeQueueTag(change.to, clientId, kind),
        ciphertext: resealed.ciphertext,
      };
      return (records) => updateSealedRow(records, 'webhook_events', id, columns);
    },
    giveUp: (records, { id }) => deleteSealedRow(records, 'webhook_events', id),
  };
}

/** For rows that contain only a ciphertext, whose context is the key of the row. */
function createCiphertextStep<Table extends SealedTable>(
  change: KeyChange,
  table: Table,
  column: keyof SealedRow<Table> & string,
  purpose?: KeyPurpose,
): RowStep<Table> {
  return {
    table,
    plan: (row) => {
      const key = readRowKey(table, row);
      const ciphertext = row[column] as Uint8Array;
      // Secrets of the service are named after their purpose.
      const resealed = resealSecret(change, {
        purpose: purpose ?? (key as KeyPurpose),
        ciphertext,
        context: key,
      });
      if (!resealed) return null;
      const columns = { [column]: resealed.ciphertext } as Updateable<Tables[Table]>;
      return (records) => updateSealedRow(records, table, key, columns);
    },
    giveUp: (records, row) => deleteSealedRow(records, table, readRowKey(table, row)),
  };
}
