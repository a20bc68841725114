/** Strangers fill a disk of 40 MB as far as they can; buyers who paid, the desk and the purge do not notice. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, suite } from 'node:test';
import { sql } from 'kysely';
import { createPurger } from '#cases/ending/purge.ts';
import { sealContactMessage } from '#seal/case/contact-message.ts';
import { findCase } from '#store/cases/cases.ts';
import { computeFloor } from '#store/limits/storage-caps.ts';
import { postRegistration, sampleRegistration } from '#test/agents/sample-registration.ts';
import { openPlainForm, postFormFields, postFromScript } from '#test/cases/plain-form.ts';
import { largeFile, sealInquiryForm, sendSealedForm } from '#test/cases/sealed-form.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDeskCli, sendBuyerMessage, sendCase } from '#test/cli/desk-cli.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { isLongRun, scale } from '#test/scale.ts';
import { createMountedDisk, createSimulatedDisk, type SmallDisk } from '#test/small-disk.ts';
import { silentLog } from '#test/store/engines.ts';
import { startTestShop, type TestShop } from '#test/test-shop.ts';

const MIB = 1024 ** 2;
const DISK_BYTES = 40 * MIB;
const SENDERS = 8;

const cleanUp = withReverseCleanup({ after });
const mounted = await createMountedDisk(cleanUp, DISK_BYTES);
const simulated = mounted && !isLongRun ? null : await createSimulatedDisk(cleanUp, DISK_BYTES);

for (const disk of [mounted, simulated].filter((each) => each !== null))
  suite(`a small disk, ${disk.name}`, async () => {
    const { probe } = disk;
    const shop = await startTestShop(cleanUp, {
      env: { DATA_DIR: disk.folder },
      ...(probe && { disk: probe }),
    });
    if (probe) await sql.raw(`pragma max_page_count = ${DISK_BYTES / 4096}`).execute(shop.store.records);
    const desk = createDeskCli(shop);
    const purged = await sendCase(shop, { files: [largeFile, largeFile] });
    const withdrawn = await sendCase(shop);
    const delivered = await sendCase(shop);
    await desk.runForText('cases', 'take', delivered.id);
    const { desk: recipients } = await shop.services.sealingKeys;
    const longMessage = { topic: 'question', message: '調'.repeat(3_900), reply_to: '' } as const;
    const sealed = Buffer.from(await sealContactMessage(longMessage, recipients)).toString('base64url');
    const floor = computeFloor(DISK_BYTES);

    let takenBefore = 0;
    test('on a disk full of other files strangers are refused at the floor, and checkout below it', async () => {
      fillDisk(disk, (await measureFree(disk)) - floor - MIB);
      const messages = await sendUntilRefused(100, () => postSealedMessage(shop, sealed));
      assert.equal(messages.code, 'contact_full');
      takenBefore = messages.taken;
      assert.ok((await measureFree(disk)) >= floor / 2);
      await shop.store.erase();
      fillDisk(disk, (await measureFree(disk)) - floor * 0.9);
      assert.equal((await postRegistration(shop.get, sampleRegistration)).json['code'], 'registrations_full');
      assert.equal((await shop.postCheckout('Trace')).status, 200, 'checkout closes last');
      fillDisk(disk, (await measureFree(disk)) - floor * 0.45);
      assert.equal((await shop.postCheckout('Trace')).json['code'], 'storage_full');
      clearDisk(disk);
      assert.equal((await postSealedMessage(shop, sealed)).status, 204, 'open again at once');
    });

    let session = '';
    test('strangers can store only so much, and each kind closes alone', async () => {
      const messages = await sendUntilRefused(1_000, () => postSealedMessage(shop, sealed));
      assert.equal(messages.code, 'contact_full');
      // How many fit before SQLite moves its log depends on where the log was.
      const taken = takenBefore + messages.taken;
      assert.ok(taken >= 100, `${taken} messages`);
      const registration = { ...sampleRegistration, redirect_uris: listLongAddresses() };
      const registrations = await sendUntilRefused(1_000, () => postRegistration(shop.get, registration));
      assert.equal(registrations.code, 'registrations_full');
      assert.ok(registrations.taken >= 50, `${registrations.taken} registrations`);
      const checkouts = await sendUntilRefused(scale.floodingCheckouts, () => shop.postCheckout('Trace'));
      assert.deepEqual(checkouts, { taken: scale.floodingCheckouts, code: null });
      session = await shop.createSession();
      assert.ok((await measureFree(disk)) >= floor);
    });

    test('then a purge, a withdrawal, a webhook, a delivery and a paid inquiry succeed', async () => {
      fillDisk(disk, (await measureFree(disk)) - floor * 0.45);
      const { records } = shop.store;
      await records.updateTable('cases').set({ purge_at: 1 }).where('id', '=', purged.id).execute();
      await createPurger(shop.services, silentLog).run();
      assert.equal(await findCase(records, purged.id, 0), undefined);

      const withdrawal = await postCaseForm(shop, '/case/withdraw', {
        words: withdrawn.words,
        withdraw_sure: 'yes',
      });
      assert.equal(withdrawal.status, 200, withdrawal.text);
      assert.equal((await findCase(records, withdrawn.id, 0))?.state, 'withdrawn');

      await shop.sandbox.pay(session);
      const form = await openPlainForm(shop, session);
      assert.equal((await shop.findOrder(session))?.payment, 'paid');
      const inquiry = await sealInquiryForm(shop, form, [largeFile]);
      const opened = await sendSealedForm(shop, form, inquiry);
      assert.ok(opened.status < 300, opened.text);

      await sendBuyerMessage(shop, delivered, 0, 'One more thing.');
      const finding = join(disk.folder, 'finding.txt');
      writeFileSync(finding, 'She is who she says she is.');
      await desk.runForText('cases', 'deliver', delivered.id, '--key', desk.key, '--finding', finding);
      assert.equal((await findCase(records, delivered.id, 0))?.state, 'delivered');
      await shop.store.tryWrite();
      assert.equal((await shop.get('/api/ready')).status, 200);
    });
  });

/** Sends in parallel; stops at the first refusal, or once `most` are accepted. */
async function sendUntilRefused(most: number, send: () => Promise<HttpsResponse>) {
  let taken = 0;
  let code: unknown = null;
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (code === null && taken < most) {
        taken += 1;
        const answer = await send();
        if (answer.status < 300) continue;
        taken -= 1;
        assert.equal(answer.status, 503, answer.text);
        code = answer.json['code'];
      }
    }),
  );
  return { taken, code };
}

async function postSealedMessage({ get }: TestShop, sealed: string): Promise<HttpsResponse> {
  return await postFromScript({ get }, '/contact/sealed', { sealed });
}

async function postCaseForm({ get }: TestShop, path: string, fields: Record<string, string>) {
  return await postFormFields({ get }, path, fields);
}

/** The redirect addresses of a registration, as many and as long as they may be. */
function listLongAddresses(): string[] {
  return Array.from({ length: 10 }, (_none, index) => `https://agent.example/${index}/${'x'.repeat(1_800)}`);
}

async function measureFree({ folder, probe }: SmallDisk): Promise<number> {
  if (probe) return (await probe())?.free ?? 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Adds a file, as another program on the same disk might. */
function fillDisk({ folder }: SmallDisk, bytes: number): void {
  if (bytes > 0) writeFileSync(join(folder, `filler-${Math.floor(bytes)}`), Buffer.alloc(bytes, 1));
}

function clearDisk({ folder }: SmallDisk): void {
  for (const name of readdirSync(folder)) if (name.startsWith('filler-')) rmSync(join(folder, name));
}
