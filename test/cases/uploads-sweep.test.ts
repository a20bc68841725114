/** Uploads that no case came for go after a day; whatever found its case stays, on both engines. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openCase } from '#cases/open-case.ts';
import {
  keepUpload,
  keepUploadPiece,
  sweepUploads,
  UPLOAD_LIFETIME_MS,
  uploadHolder,
} from '#cases/uploads.ts';
import { sessionTag } from '#payments/session-id.ts';
import { newId } from '#platform/ids.ts';
import { newIdentity, recipientOf } from '#seal/age.ts';
import type { Services } from '#services.ts';
import { keyringOf, newMasterKey } from '#store/keyring.ts';
import { insertOrder } from '#store/orders.ts';
import { lastFirst } from '#test/folder.ts';
import { openAt, postgres, sqlite } from '#test/store/engines.ts';
import { sampleOrder } from '#test/store/sample-order.ts';
import { type SealedForm, sealedForm } from './sealed-form.ts';
import { stored } from './stored.ts';

const cleanUp = lastFirst({ after });
const keyring = keyringOf(newMasterKey());
const key = async () => await recipientOf(await newIdentity());
const sealingKeys = Promise.resolve({ desk: [await key()], recovery: await key(), toMoveAway: [] });
const SECOND = 1_000;

type CaseServices = Pick<Services, 'clock' | 'keyring' | 'store' | 'sealingKeys'>;

interface Office {
  readonly services: CaseServices;
  readonly at: (now: number) => CaseServices;
  /** A paid session. */
  readonly paid: () => Promise<string>;
}

async function officeOn(engine: typeof sqlite): Promise<Office> {
  const store = await openAt(cleanUp, await engine.newPlace(cleanUp));
  const at = (now: number): CaseServices => ({ clock: { now: () => now }, keyring, store, sealingKeys });
  const paid = async () => {
    const session = `cs_test_${newId()}`;
    const tag = sessionTag(keyring, session);
    await insertOrder(store.records, sampleOrder({ payment: 'paid', session_tag: tag }));
    return session;
  };
  return { services: at(0), at, paid };
}

/** Uploads inquiry and files; gives what opens the case. */
async function uploaded(services: CaseServices, session: string) {
  const sealed: SealedForm = await sealedForm({ services }, { paymentRef: 'an-order' }, [
    { name: 'a.bin', content: new Uint8Array(600_000) },
  ]);
  const holder = uploadHolder(keyring, { sessionId: session });
  const keep = (bytes: Uint8Array) => keepUpload(services, holder, ReadableStream.from([bytes]));
  return {
    lookupHash: sealed.keys.lookupHash,
    caseKey: sealed.caseKey,
    inquiry: await keep(sealed.inquiry.bytes),
    files: await Promise.all(sealed.files.map(({ bytes }) => keep(bytes))),
    keepDays: 30,
    termsVersion: '2026-11',
    sealedBy: 'browser',
  } as const;
}

for (const engine of [sqlite, await postgres(cleanUp)]) {
  const { services, at, paid } = await officeOn(engine);
  const { store } = services;

  test(`${engine.name}: what waited for more than a day goes, and nothing else`, async () => {
    const session = await paid();
    const bound = await uploaded(at(0), session);
    await openCase(at(0), { sessionId: session }, bound);
    const kept = await stored({ store });
    const holder = uploadHolder(keyring, { sessionId: await paid() });
    const bytes = new Uint8Array(10);
    for (let count = 0; count < 120; count += 1)
      await keepUploadPiece(at(0), holder, { upload: newId(), piece: 0, bytes });
    await keepUploadPiece(at(SECOND), holder, { upload: newId(), piece: 0, bytes });
    await sweepUploads(at(UPLOAD_LIFETIME_MS));
    assert.equal((await stored({ store })).staged, 121, 'a day is not over yet');
    await sweepUploads(at(UPLOAD_LIFETIME_MS + 1));
    assert.equal((await stored({ store })).staged, 1);
    await sweepUploads(at(UPLOAD_LIFETIME_MS + SECOND + 1));
    assert.deepEqual(await stored({ store }), kept);
  });

  test(`${engine.name}: a case that binds while its uploads are swept is whole or not there, and then still paid`, async () => {
    for (let round = 0; round < 12; round += 1) {
      const session = await paid();
      const before = await stored({ store });
      const sealed = await uploaded(at(0), session);
      const late = at(UPLOAD_LIFETIME_MS + SECOND);
      const opening = openCase(late, { sessionId: session }, sealed).then(
        () => true,
        (error: { code: string }) => {
          assert.equal(error.code, 'upload_incomplete');
          return false;
        },
      );
      if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, round % 3));
      const [opened] = await Promise.all([opening, sweepUploads(late)]);
      const now = await stored({ store });
      const grown = [now.cases - before.cases, now.objects - before.objects, now.pieces - before.pieces];
      assert.deepEqual(grown, opened ? [1, 2, 4] : [0, 0, 0]);
      if (!opened) await openCase(late, { sessionId: session }, await uploaded(late, session));
    }
  });

  test(`${engine.name}: ten openings of one inquiry at once are one case`, async () => {
    const session = await paid();
    const sealed = await uploaded(at(0), session);
    const before = await stored({ store });
    const cases = await Promise.all(
      Array.from({ length: 10 }, () => openCase(at(5), { sessionId: session }, sealed)),
    );
    assert.equal(new Set(cases.map(({ id }) => id)).size, 1);
    const later = await openCase(at(9), null, sealed);
    assert.deepEqual([later.id, later.submitted_at], [cases[0]?.id, 5]);
    const now = await stored({ store });
    assert.deepEqual([now.cases - before.cases, now.staged], [1, before.staged - 2]);
  });

  test(`${engine.name}: ten inquiries for one payment at once are one case, and nine are told`, async () => {
    const session = await paid();
    const all = await Promise.all(Array.from({ length: 10 }, () => uploaded(at(0), session)));
    const before = await stored({ store });
    const tries = await Promise.allSettled(
      all.map((sealed) => openCase(at(5), { sessionId: session }, sealed)),
    );
    const refused = tries.flatMap((tried) => (tried.status === 'rejected' ? [tried.reason.code] : []));
    assert.deepEqual(refused, Array(9).fill('payment_required'));
    assert.equal((await stored({ store })).cases - before.cases, 1);
    await sweepUploads(at(UPLOAD_LIFETIME_MS + SECOND));
    assert.equal((await stored({ store })).staged, 0);
  });

  test(`${engine.name}: pieces of one upload that all come at once, and twice, are kept once`, async () => {
    const holder = uploadHolder(keyring, { sessionId: await paid() });
    const upload = newId();
    const before = await stored({ store });
    const pieces = Array.from({ length: 40 }, (_none, index) => index % 20);
    const bytes = new Uint8Array(1_000);
    await Promise.all(pieces.map((piece) => keepUploadPiece(at(0), holder, { upload, piece, bytes })));
    const now = await stored({ store });
    assert.deepEqual([now.objects - before.objects, now.pieces - before.pieces], [1, 20]);
  });

  test(`${engine.name}: one payment holds only so much, and a piece that comes again is not more`, async () => {
    const holder = uploadHolder(keyring, { sessionId: await paid() });
    const bytes = new Uint8Array(1);
    const upload = newId();
    await keepUploadPiece(at(0), holder, { upload, piece: 0, bytes });
    const others = Array.from({ length: 1_799 }, (_none, index) => ({
      object_id: upload,
      piece: index + 1,
      size: 1,
      bytes,
    }));
    await store.records.insertInto('object_pieces').values(others).execute();
    await keepUploadPiece(at(0), holder, { upload, piece: 1_799, bytes });
    const before = await stored({ store });
    const more = keepUploadPiece(at(0), holder, { upload: newId(), piece: 0, bytes });
    await assert.rejects(more, { code: 'payload_too_large' });
    assert.deepEqual(await stored({ store }), before);
  });
}
