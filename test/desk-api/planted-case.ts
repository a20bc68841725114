/** Cases with a real key, sealed to the desk of a service under test, without a payment. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { requireCase } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { sealCaseMessage } from '#seal/case/sealed-message.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { type CaseKey, generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import type { Services } from '#services.ts';
import { type Case, insertCase } from '#store/cases/cases.ts';
import { insertObject } from '#store/cases/objects.ts';
import { storeCaseKey } from '#store/keys/shred-keys.ts';
import type { Store } from '#store/store.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { createCaseRow } from '#test/cases/seeded-case.ts';
import type { DeskKey } from './desk-client.ts';

export interface PlantedCase {
  readonly id: string;
  readonly key: CaseKey;
  /** The sealed bytes of its one file. */
  readonly file: Uint8Array;
}

export const PLANTED_INQUIRY: Inquiry = {
  payment_ref: 'IO-0000-0000',
  alias: 'Robin',
  question: 'Is she who she says she is? CANARY',
  subject: 'A recruiter who calls herself Dana',
  identifiers: ['recruiter@talent.example', '+44 20 7946 0000', 'talent.example/jobs/4471'],
  background:
    'She offered me a job after one short call and wants a copy of my passport before I get the contract.',
  jurisdiction: 'FR',
  safety_risk: 'possible',
  subject_is_protected: 'no',
  contact: { mode: 'return_only', value: '', safe_times: 'Weekday mornings' },
  call_number: '',
  call_windows: [],
  lawful_purpose: true,
  files: [{ name: 'offer-letter.pdf', mime: 'text/plain', size: 300_000, kept_as_evidence: false }],
};

/** Inserts a case in the state received, with an inquiry and a file of two pieces. */
export async function insertPlantedCase(
  { services, store }: { readonly services: Pick<Services, 'sealingKeys'>; readonly store: Store },
  changes: Partial<Case> = {},
  said: Inquiry = PLANTED_INQUIRY,
): Promise<PlantedCase> {
  const now = Date.now();
  const lookupHash = randomBytes(32).toString('base64url');
  const key = await generateCaseKey({
    lookupHash,
    recipient: await deriveRecipient(await generateAgeIdentity()),
  });
  const sealedKey = await sealCaseKey(key, await services.sealingKeys);
  const inquiry = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, said);
  const file = await sealSampleFile(key, 'inquiry-file.v1', 0, 300_000, said.files?.[0]?.name);
  const id = changes.id ?? generateId();
  const facts = { state: 'received', delivered_at: null, purge_at: null, due_at: now + 2 * DAY_MS } as const;
  await store.transaction(async (records) => {
    const place = await storeCaseKey(store.shredKeys, records, id, sealedKey);
    await insertCase(records, createCaseRow({ ...facts, lookup_hash: lookupHash, ...place, ...changes, id }));
    for (const [kind, bytes] of [
      ['inquiry.v1', inquiry],
      ['inquiry-file.v1', file],
    ] as const)
      await insertObject(records, { id: generateId(), caseId: id, kind, seq: 0, bytes, now });
  });
  return { id, key, file };
}

/** Sends an answer of the buyer to everything in the case. */
export async function answerAsBuyer(
  services: Services,
  { identity }: Pick<DeskKey, 'identity'>,
  { id, key }: PlantedCase,
  text: string,
): Promise<void> {
  const record = await requireCase(services.store.records, id, services.clock.now());
  const { messages } = await openSealedCase(await readSealedCase(services, record), identity);
  const checked = validateCaseMessage({ text });
  assert.ok('message' in checked);
  const sealed = await sealCaseMessage(key, messages, { by: 'buyer', message: checked.message });
  await addCaseMessage(services, id, { by: 'buyer', ...sealed });
}

export async function sealSampleFile(
  key: CaseKey,
  kind: 'inquiry-file.v1' | 'finding-file.v1',
  seq: number,
  size: number,
  name = 'a.txt',
): Promise<Uint8Array> {
  const content = new Blob([new Uint8Array(size).fill(65)]).stream();
  const sealed = await sealFile(key, { kind, seq }, { name, mime: 'text/plain', maxBytes: size, content });
  return Buffer.concat(await Array.fromAsync(sealed));
}
