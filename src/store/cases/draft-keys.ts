/** The service's halves of the keys of drafts: one for each form whose sender keeps a draft, for a day at most. */
import { randomBytes } from 'node:crypto';
import { DAY_MS } from '#platform/durations.ts';
import { deleteRows, findRow } from '../engine/selected-rows.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Records } from '../schema/tables.ts';

const HALF_BYTES = 32;
const PURPOSE = 'draft key';

interface DraftForm {
  readonly keyring: Keyring;
  readonly sessionId: string;
  readonly now: number;
}

/** Null if the form has none, or one that is a day old. */
export async function readDraftHalf(
  records: Records,
  { keyring, sessionId, now }: DraftForm,
): Promise<string | null> {
  const match = { form_tag: keyring.tag(PURPOSE, sessionId), created_at: ['>', now - DAY_MS] } as const;
  const row = await findRow(records, 'draft_keys', match);
  return row ? keyring.open(PURPOSE, row.half_ciphertext, sessionId) : null;
}

/** Returns the form's half, or creates one. Run it in a transaction, so that two tabs of a form share one half. */
export async function createDraftHalf(records: Records, form: DraftForm): Promise<string> {
  const existing = await readDraftHalf(records, form);
  if (existing !== null) return existing;
  const { keyring, sessionId, now } = form;
  await deleteDraftHalf(records, form);
  const half = randomBytes(HALF_BYTES).toString('base64url');
  await records
    .insertInto('draft_keys')
    .values({
      form_tag: keyring.tag(PURPOSE, sessionId),
      half_ciphertext: keyring.seal(PURPOSE, half, sessionId),
      created_at: now,
    })
    .execute();
  return half;
}

export async function deleteDraftHalf(
  records: Records,
  { keyring, sessionId }: Pick<DraftForm, 'keyring' | 'sessionId'>,
): Promise<void> {
  await deleteRows(records, 'draft_keys', { form_tag: keyring.tag(PURPOSE, sessionId) });
}
