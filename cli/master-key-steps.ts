/** The steps that move every sealed and tagged row from the former master key to the new one. */
import { NOTICE_ADDRESS_PURPOSE } from '#cases/notice-address.ts';
import { deriveUploadHolders } from '#cases/uploads.ts';
import { buildWordsUserTags, deriveWordsTags, resolveWordsTags } from '#cases/words-user.ts';
import { ENCRYPTED_KINDS } from '#oauth/adapter.ts';
import { decryptSessionId, encryptSessionId } from '#payments/session-id.ts';
import type { KeyPurpose, Keyring } from '#store/keyring.ts';
import { createRotationStep, type RotationStep, type RowChange, resealBox } from '#store/rotation.ts';
import {
  listKeptSecrets,
  replaceKeptSecret,
  replaceRotatedRow,
  replaceUploadHolder,
} from '#store/rotation-rows.ts';
import type { Records } from '#store/tables.ts';
import { findUserId, type User, type UserTags } from '#store/users.ts';
import { createCallbackSteps } from './callback-key-steps.ts';
import { createRowStep, toChange } from './row-steps.ts';

/** Users before cases: their boxes then have the tags of both keys, whichever their case has. */
export function createRotationSteps(keyring: Keyring): readonly RotationStep[] {
  return [
    createUploadStep(keyring),
    createOrderStep(keyring),
    createRowStep(
      'users',
      'users',
      (user) => buildAddressChange(keyring, user) ?? buildWordsChange(keyring, user),
    ),
    createCaseStep(keyring),
    createNoticeStep(keyring),
    ...createCallbackSteps(keyring),
    createRegistrationStep(keyring),
    createSecretStep(keyring),
    createSignInStep(keyring),
  ];
}

function createOrderStep(keyring: Keyring): RotationStep {
  return createRowStep('orders', 'orders', ({ id, session_box: box }) => {
    const resealed = box && resealBox(keyring, { purpose: 'order session', box, context: id });
    if (!resealed) return null;
    const session = encryptSessionId(keyring, resealed.secret, id);
    const change = { session_tag: session.tag, session_box: session.box };
    return toChange((records) => replaceRotatedRow(records, 'orders', { id, session_box: box }, change));
  });
}

/** Uploads are found by the order that they are for, as long as it is paid and unused. */
function createUploadStep(keyring: Keyring): RotationStep {
  return createRowStep('orders with uploads', 'orders', (order) => {
    if (order.payment !== 'paid' || order.redeemed === 1) return null;
    const sessionId = decryptSessionId(keyring, order);
    // Who owns the order is no part of the tag.
    const byOrder = { orderId: order.id, owner: { clientId: '', userId: null } };
    const vouchers = sessionId === null ? [byOrder] : [byOrder, { sessionId }];
    return async (records) => {
      let moved = false;
      for (const voucher of vouchers) {
        const [holder, ...former] = deriveUploadHolders(keyring, voucher);
        for (const tag of former) moved = (await replaceUploadHolder(records, tag, holder)) || moved;
      }
      return moved ? 'moved' : 'unchanged';
    };
  });
}

function buildAddressChange(keyring: Keyring, { id, address_box: box }: User): RowChange | null {
  const resealed = box && resealBox(keyring, { purpose: 'user address', box, context: id });
  if (!resealed) return null;
  const change = { address_tag: keyring.tag('user address', resealed.secret), address_box: resealed.box };
  return async (records) => {
    if (await hasOtherUser(records, id, { address_tag: [change.address_tag] })) return 'left';
    return await toChange(() => replaceRotatedRow(records, 'users', { id, address_box: box }, change))(
      records,
    );
  };
}

function buildWordsChange(keyring: Keyring, { id, words_box: box }: User): RowChange | null {
  const resealed = box && resealBox(keyring, { purpose: 'words user', box, context: id });
  if (!resealed) return null;
  const [first = '', ...others] = resealed.secret.split(' ');
  return async (records) => {
    const wordsTags = await resolveWordsTags(records, keyring, [first, ...others]);
    const change = buildWordsUserTags(keyring, wordsTags, id);
    if (await hasOtherUser(records, id, { words_tag: [change.words_tag] })) return 'left';
    return await toChange(() => replaceRotatedRow(records, 'users', { id, words_box: box }, change))(records);
  };
}

/** Two entries for one person, which only instances that did not know each other's key can have made. */
async function hasOtherUser(records: Records, id: string, tags: UserTags): Promise<boolean> {
  const found = await findUserId(records, tags);
  return found !== null && found !== id;
}

function createCaseStep(keyring: Keyring): RotationStep {
  return createRowStep('cases', 'cases', ({ id, lookup_hash, words_tag }) => {
    const [tag, ...former] = deriveWordsTags(keyring, lookup_hash);
    if (!former.includes(words_tag)) return null;
    return toChange((records) => replaceRotatedRow(records, 'cases', { id, words_tag }, { words_tag: tag }));
  });
}

function createNoticeStep(keyring: Keyring): RotationStep {
  return createRowStep('addresses for notices', 'notices', ({ id, address_box }) => {
    const sealed = { purpose: NOTICE_ADDRESS_PURPOSE, box: address_box, context: id } as const;
    const resealed = resealBox(keyring, sealed);
    if (!resealed) return null;
    const change = { address_box: resealed.box };
    return toChange((records) => replaceRotatedRow(records, 'notices', { id, address_box }, change));
  });
}

function createRegistrationStep(keyring: Keyring): RotationStep {
  return createRowStep('registrations', 'registrations', ({ id, contact_box }) => {
    const sealed = { purpose: 'registration contact', box: contact_box, context: id } as const;
    const resealed = resealBox(keyring, sealed);
    if (!resealed) return null;
    const change = { contact_box: resealed.box };
    return toChange((records) => replaceRotatedRow(records, 'registrations', { id, contact_box }, change));
  });
}

function createSecretStep(keyring: Keyring): RotationStep {
  return createRotationStep({
    what: 'secrets of the service',
    table: 'kept_secrets',
    list: listKeptSecrets,
    plan: (row) => {
      const { name, box } = row;
      const resealed = resealBox(keyring, { purpose: name as KeyPurpose, box, context: name });
      return resealed && toChange((records) => replaceKeptSecret(records, row, resealed.box));
    },
  });
}

function createSignInStep(keyring: Keyring): RotationStep {
  return createRowStep('sign-ins', 'tokens', ({ id, kind, payload }) => {
    if (!ENCRYPTED_KINDS.has(kind)) return null;
    const box = Buffer.from(payload, 'base64');
    const resealed = resealBox(keyring, { purpose: 'sign-in', box, context: id });
    if (!resealed) return null;
    const change = { payload: Buffer.from(resealed.box).toString('base64') };
    return toChange((records) => replaceRotatedRow(records, 'tokens', { id, payload }, change));
  });
}
