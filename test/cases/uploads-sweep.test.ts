/** Uploads without a case are deleted after a day; those of a case stay, on both engines. */

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { createCase } from '#cases/intake/create-case.ts';
import { deriveUploader, storeUpload, storeUploadPiece, sweepUploads } from '#cases/intake/uploads.ts';
import { adoptRecipientSet } from '#cases/sealing/recipient-set.ts';
import { computeRecipientSetTag } from '#cases/sealing/sealing-keys.ts';
import { StripeProvider } from '#payments/provider/stripe.ts';
import { computeSessionTag } from '#payments/session-id.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { generateId } from '#platform/text/ids.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import type { Services } from '#services.ts';
import { UPLOAD_LIFETIME_MS } from '#store/cases/object-deletion.ts';
import { toRowNumber } from '#store/engine/row-number.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore, silentLog } from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { countStoredRows } from './row-counts.ts';
import { type SealedForm, sealInquiryForm } from './sealed-form.ts';

const cleanUp = withReverseCleanup({ after });
const keyring = createKeyring(generateMasterKey());
const generateRecipient = async () => await deriveRecipient(await generateAgeIdentity());
const holders = { desk: [await generateRecipient()], recovery: await generateRecipient() };
const set = computeRecipientSetTag(holders);
const sealingKeys = Promise.resolve({ ...holders, set, privateKeyFiles: [] });
const paymentProvider = new StripeProvider(readConfig({}).payments, { clock: systemClock, log: silentLog });
const SECOND = 1_000;

type CaseServices = Pick<Services, 'clock' | 'paymentProvider' | 'keyring' | 'store' | 'sealingKeys'>;

/** Uploads the inquiry and files; returns the body that opens the case. */
async function uploadSealedInquiry(services: CaseServices, session: string) {
  const sealed: SealedForm = await sealInquiryForm({ services }, { paymentRef: 'an-order' }, [
    { name: 'a.bin', content: new Uint8Array(600_000) },
  ]);
  const uploader = deriveUploader(keyring, { sessionId: session });
  const storeBytes = (bytes: Uint8Array) => storeUpload(services, uploader, ReadableStream.from([bytes]));
  return {
    lookupHash: sealed.keys.lookupHash,
    caseKey: sealed.caseKey,
    recipientSet: set,
    inquiry: await storeBytes(sealed.inquiry.bytes),
    files: await Promise.all(sealed.files.map(({ bytes }) => storeBytes(bytes))),
    keepDays: DEFAULT_KEEP_DAYS,
    termsVersion: CURRENT_TERMS,
    sealedBy: 'browser',
  } as const;
}

for (const engine of await listEngines(cleanUp)) {
  const store = await openTestStore(cleanUp, await engine.createDatabase(cleanUp));
  await adoptRecipientSet({ store }, holders, { people: [] });
  const base = { paymentProvider, keyring, store, sealingKeys };
  const getServicesAt = (now: number): CaseServices => ({ ...base, clock: { now: () => now } });
  const createPaidSession = async () => {
    const session = `cs_test_${generateId()}`;
    const tag = computeSessionTag(keyring, session);
    await insertOrder(store.records, createSampleOrder({ payment: 'paid', session_tag: tag }));
    return session;
  };

  test(`${engine.name}: uploads older than a day are deleted, and nothing else`, async () => {
    const session = await createPaidSession();
    const bound = await uploadSealedInquiry(getServicesAt(0), session);
    await createCase(getServicesAt(0), { sessionId: session }, bound);
    const stored = await countStoredRows({ store });
    const uploader = deriveUploader(keyring, { sessionId: await createPaidSession() });
    const bytes = new Uint8Array(10);
    for (let count = 0; count < 120; count += 1)
      await storeUploadPiece(getServicesAt(0), uploader, { upload: generateId(), piece: 0, bytes });
    await storeUploadPiece(getServicesAt(SECOND), uploader, { upload: generateId(), piece: 0, bytes });
    await sweepUploads(getServicesAt(UPLOAD_LIFETIME_MS));
    assert.equal((await countStoredRows({ store })).staged, 121, 'a day is not over yet');
    await sweepUploads(getServicesAt(UPLOAD_LIFETIME_MS + 1));
    assert.equal((await countStoredRows({ store })).staged, 1);
    await sweepUploads(getServicesAt(UPLOAD_LIFETIME_MS + SECOND + 1));
    assert.deepEqual(await countStoredRows({ store }), stored);
  });

  test(`${engine.name}: a case opened during a sweep is complete, or not opened and its payment unspent`, async () => {
    for (let round = 0; round < 12; round += 1) {
      const session = await createPaidSession();
      const before = await countStoredRows({ store });
      const sealed = await uploadSealedInquiry(getServicesAt(0), session);
      const late = getServicesAt(UPLOAD_LIFETIME_MS + SECOND);
      const opening = createCase(late, { sessionId: session }, sealed).then(
        () => true,
        (error: { code: string }) => assert.equal(error.code, 'upload_incomplete'),
      );
      if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, round % 3));
      const [opened] = await Promise.all([opening, sweepUploads(late)]);
      const now = await countStoredRows({ store });
      const grown = [now.cases - before.cases, now.objects - before.objects, now.pieces - before.pieces];
      assert.deepEqual(grown, opened ? [1, 2, 4] : [0, 0, 0]);
      if (!opened) await createCase(late, { sessionId: session }, await uploadSealedInquiry(late, session));
    }
  });

  test(`${engine.name}: uploads for one payment are limited, and a repeated piece does not count twice`, async () => {
    const uploader = deriveUploader(keyring, { sessionId: await createPaidSession() });
    const bytes = new Uint8Array(1);
    const upload = generateId();
    await storeUploadPiece(getServicesAt(0), uploader, { upload, piece: 0, bytes });
    const others = Array.from({ length: 1_799 }, (_none, index) => ({
      number: toRowNumber(`${upload} ${index + 1}`),
      object_number: toRowNumber(upload),
      piece: index + 1,
      size: 1,
      bytes,
    }));
    await store.records.insertInto('object_pieces').values(others).execute();
    await storeUploadPiece(getServicesAt(0), uploader, { upload, piece: 1_799, bytes });
    const before = await countStoredRows({ store });
    const more = storeUploadPiece(getServicesAt(0), uploader, { upload: generateId(), piece: 0, bytes });
    await assert.rejects(more, { code: 'payload_too_large' });
    assert.deepEqual(await countStoredRows({ store }), before);
  });
}
