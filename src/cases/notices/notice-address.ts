/** The address for notices: given only for this purpose, sealed under the keyring, changed or removed at any time. */

import { ServiceError } from '#platform/errors.ts';
import { normalizeEmailAddress } from '#platform/mail/email-address.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { type Case, updateCaseIfUnchanged } from '#store/cases/cases.ts';
import { type Notice, upsertNotice } from '#store/cases/notices.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { applyCaseChange, requireCaseState, UNWITHDRAWN_STATES } from '../states.ts';
import { discardNotice, planNextNotice } from './notice-times.ts';

export const NOTICE_ADDRESS_PURPOSE = 'notice address';
/** In bytes; longer than the longest address with its language, so that the ciphertext's length reveals nothing. */
const SECRET_LENGTH = 384;

/** Where to write, and in which language. */
export interface NoticeAddress {
  readonly address: string;
  /** BCP 47. */
  readonly language: string;
}

/** A changed address receives the news not yet sent. A first one receives only later news: the buyer sees the case. */
export async function setNoticeAddress(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  caseId: string,
  { address: typed, language }: NoticeAddress,
): Promise<Case> {
  const address = normalizeEmailAddress(typed);
  if (address === null) throw new ServiceError('validation_failed');
  const { clock, keyring } = services;
  return await applyCaseChange(services, caseId, async (records, record) => {
    requireCaseState(record, UNWITHDRAWN_STATES);
    const id = record.notice_id ?? generateId();
    const ciphertext = sealNoticeAddress(keyring, id, { address, language });
    await upsertNotice(records, { id, address_ciphertext: ciphertext, told_at: clock.now() });
    const changed = await updateCaseIfUnchanged(records, record, { notice_id: id });
    if (!changed) throw new ServiceError('case_changed');
    await planNextNotice(records, changed.record);
    return changed.record;
  });
}

/** Removing twice is not an error. */
export async function removeNoticeAddress(
  services: Pick<Services, 'clock' | 'store'>,
  caseId: string,
): Promise<Case> {
  return await applyCaseChange(services, caseId, async (records, record) => {
    await discardNotice(records, record);
    const changed = await updateCaseIfUnchanged(records, record, { notice_id: null });
    if (!changed) throw new ServiceError('case_changed');
    return changed.record;
  });
}

function sealNoticeAddress(keyring: Keyring, id: string, secret: NoticeAddress): Uint8Array {
  const text = JSON.stringify(secret);
  const spaces = ' '.repeat(SECRET_LENGTH - Buffer.byteLength(text));
  return keyring.seal(NOTICE_ADDRESS_PURPOSE, text + spaces, id);
}

export function openNoticeAddress(
  keyring: Keyring,
  { id, address_ciphertext: ciphertext }: Notice,
): NoticeAddress {
  return JSON.parse(keyring.open(NOTICE_ADDRESS_PURPOSE, ciphertext, id)) as NoticeAddress;
}
