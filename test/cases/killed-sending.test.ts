/** kill -9 while inquiries are submitted, then a restart: acknowledged cases are stored, the rest can be sent again. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deriveWordKeys } from '#seal/core/words.ts';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { isLongRun } from '#test/scale.ts';
import type { ServiceProcess } from '#test/service-process.ts';
import {
  encodeFormBody,
  openPaidForm,
  type PlainForm,
  plainFormFields,
  postFormFields,
  sendPlainForm,
} from './plain-form.ts';
import { createRestartableService, killService } from './restartable-service.ts';

const file = { name: 'a.bin', content: new Uint8Array(1_500_000) };
const small = { name: 'b.bin', content: new Uint8Array(100_000) };
const RANDOM_KILLS = 4;
const redeemed = 'select count(*) as n from orders where redeemed = 1';
const cases = 'select lookup_hash from cases';
const loose = `select count(*) as n from objects where case_id is null`;
const countIncomplete = `select count(*) as n from cases where (select count(*) from objects where case_id = cases.id) <> 2`;

async function canOpenCase(service: ServiceProcess, words: string) {
  const { status, text } = await postFormFields(service, '/case', { words });
  return status === 200 && text.includes('CANARY-QUESTION');
}

/** Sends only half, so that the file is incomplete however late the program is killed. */
async function sendHalfOfForm({ port }: ServiceProcess, form: PlainForm): Promise<void> {
  const { body, type } = await encodeFormBody(form, plainFormFields, [file]);
  const { socket } = await openRawConnection(port, 'tls');
  socket.write(
    `POST /inquiry/sent HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${form.cookie}\r\n` +
      `Sec-Fetch-Site: same-origin\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, body.length / 2));
}

test('killed while a file arrives: what was acknowledged is whole, and the same form opens one case after the restart', async (t) => {
  const restartable = await createRestartableService(t);
  const countCasesAndPayments = () => [
    restartable.queryRows(cases).length,
    restartable.queryRows(redeemed)[0]?.['n'],
  ];
  const first = await restartable.start();
  const [form, kept] = [await openPaidForm(first), await openPaidForm(first)];
  await sendHalfOfForm(first, form);
  await waitUntil('a piece is stored', () => restartable.queryRows('select 1 from object_pieces').length > 0);
  assert.equal((await sendPlainForm(first, kept, plainFormFields, [small])).status, 200);
  await killService(first);
  assert.deepEqual(countCasesAndPayments(), [1, 1]);

  const second = await restartable.start();
  assert.ok(await canOpenCase(second, kept.words));
  assert.equal((await sendPlainForm(second, form, plainFormFields, [file])).status, 200);
  assert.ok(await canOpenCase(second, form.words));
  assert.deepEqual(countCasesAndPayments(), [2, 2]);
  assert.equal(restartable.queryRows(countIncomplete)[0]?.['n'], 0);
});

if (isLongRun)
  test('killed repeatedly at random while buyers submit: every acknowledged case is complete, and each payment buys one', async (t) => {
    const restartable = await createRestartableService(t);
    const acknowledged: string[] = [];
    for (let round = 0; round < RANDOM_KILLS; round += 1) {
      const service = await restartable.start();
      const forms = await Promise.all(Array.from({ length: 4 }, () => openPaidForm(service)));
      const opened = Promise.withResolvers<void>();
      const sends = forms.map(async (form) => {
        const answer = await sendPlainForm(service, form, plainFormFields, [small]).catch(() => null);
        if (answer?.status !== 200) return;
        acknowledged.push(form.words);
        opened.resolve();
      });
      await Promise.race([opened.promise, Promise.all(sends)]);
      await sleep(Math.random() * 40);
      await killService(service);
      await Promise.all(sends);
    }
    const service = await restartable.start();
    assert.ok(acknowledged.length > 0);
    for (const words of acknowledged) assert.ok(await canOpenCase(service, words));
    const known = new Set(restartable.queryRows(cases).map(({ lookup_hash: hash }) => hash));
    for (const words of acknowledged) assert.ok(known.has((await deriveWordKeys(words)).lookupHash));
    assert.equal(
      restartable.queryRows(redeemed)[0]?.['n'],
      known.size,
      'a payment is spent where its case is, and only there',
    );
    assert.equal(restartable.queryRows(countIncomplete)[0]?.['n'], 0);
    t.diagnostic(
      `${acknowledged.length} answered, ${known.size} cases, ${restartable.queryRows(loose)[0]?.['n']} uploads wait for the sweep`,
    );
  });
