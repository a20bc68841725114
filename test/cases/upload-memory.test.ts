/** A file of 25 MiB, alone or four concurrently, costs a freshly started service little memory, with both forms. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { readConfig } from '#platform/config/config.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openPaidForm, plainFormFields, sendPlainForm } from './plain-form.ts';
import {
  createRestartableService,
  killService,
  readMemoryUsage,
  resetMemoryPeak,
  type ServiceWithSandbox,
} from './restartable-service.ts';
import { createSealedUpload, type SealedForm, sealInquiryForm, sendSealedForm } from './sealed-form.ts';

const MIB = 1024 * 1024;
/** The same limit for four files as for one, because no whole file may be in memory. */
const MOST_MIB = 100;
const COLLECTING_GARBAGE = `--expose-gc --import=${import.meta.resolve('./collect-garbage.ts')}`;

type Send = () => Promise<void>;

const restartable = await createRestartableService(withReverseCleanup({ after }), {
  NODE_OPTIONS: COLLECTING_GARBAGE,
});
const file = { name: 'large.bin', content: new Uint8Array(25 * MIB).fill(7) };
const small = { name: 'small.bin', content: new Uint8Array(1) };

async function preparePlain(service: ServiceWithSandbox, sent = file): Promise<Send> {
  const form = await openPaidForm(service);
  return async () => assert.equal((await sendPlainForm(service, form, plainFormFields, [sent])).status, 200);
}

const services = { sealingKeys: loadSealingKeys(readConfig({ DATA_DIR: restartable.dataDir })) };
const sealedOnce = new Map<typeof file, Promise<SealedForm>>();

/** The service cannot see for whom a file was sealed, so one sealed copy serves all senders. */
async function prepareSealed(service: ServiceWithSandbox, sent = file): Promise<Send> {
  const form = await openPaidForm(service);
  const first = sealedOnce.get(sent) ?? sealInquiryForm({ services }, form, [sent]);
  sealedOnce.set(sent, first);
  const files = (await first).files.map(({ bytes }) => createSealedUpload(bytes));
  const prepared = { ...(await sealInquiryForm({ services }, form)), files };
  return async () => assert.equal((await sendSealedForm(service, form, prepared)).status, 200);
}

for (const [way, prepare] of Object.entries({ plain: preparePlain, sealed: prepareSealed }))
  for (const count of [1, 4])
    test(`${way}: ${count} of 25 MiB at once need at most ${MOST_MIB} MiB more`, async (t) => {
      const service = await restartable.start();
      // Loads code in advance, because loading it on first use must not count.
      await (await prepare(service, small))();
      const sends: Send[] = [];
      // One by one: sealing blocks the event loop, and an idle connection is closed.
      for (let index = 0; index < count; index += 1) sends.push(await prepare(service));
      await resetMemoryPeak(service);
      const { now } = await readMemoryUsage(service);
      await Promise.all(sends.map((send) => send()));
      const { peak } = await readMemoryUsage(service);
      await killService(service);
      t.diagnostic(`from ${now.toFixed()} MiB to ${peak.toFixed()} MiB: ${(peak - now).toFixed()} more`);
      assert.ok(peak - now <= MOST_MIB, `${peak - now} MiB`);
    });
