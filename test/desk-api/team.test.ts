/** Two investigators with their own desks at one office: each is shown what the other does. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { createPurger } from '#cases/ending/purge.ts';
import { DAY_MS } from '#platform/durations.ts';
import { openRefundOrNull } from '#seal/case/refund.ts';
import { openEnvelope } from '#seal/core/envelope.ts';
import { listDigestLines } from '#store/cases/desk-mail.ts';
import { countDueRefunds } from '#store/cases/refunds.ts';
import { stripErasurePadding } from '#store/engine/overflow-bytes.ts';
import { openPaidForm, plainFormFields, sendPlainForm } from '#test/cases/plain-form.ts';
import { createRestartableService, killService } from '#test/cases/restartable-service.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { connectConfirmedDesk } from '#test/desk/connected-desk.ts';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { silentLog } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { REFUND_DAYS } from '#wire/keep-days.ts';
import { buildDeskApp, loadOnlyDeskKey } from './desk-client.ts';
import { insertPlantedCase, PLANTED_INQUIRY } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const env = { DELIVERY_UNDO_MINUTES: '10' };
const office = await buildDeskApp(cleanUp, { ana: 'owner', kim: 'investigator' }, { env });
const { records } = office.store;
const ana = await connectConfirmedDesk(cleanUp, office, office.keys.ana);
const kim = await connectConfirmedDesk(cleanUp, office, office.keys.kim);
const NOTHING_SEEN = { buyer: 0, desk: 0 };

const purgeAfterDays = async (days: number) => {
  const clock = createTrustedClock({ now: () => Date.now() + days * DAY_MS });
  await createPurger({ ...office.services, ...clock }, silentLog).run();
};

test('a decline that was taken back leaves its number to another message, and no desk takes that for tampering', async () => {
  const { id } = await insertPlantedCase(office);
  await kim.act(id, 'take');
  await ana.act(id, 'take_over');
  const declined = await ana.sendMessage(id, { act: 'decline', text: 'We cannot.', seen: NOTHING_SEEN });
  assert.deepEqual([declined.state, declined.acts.includes('take_back')], ['declined', true]);
  const held = await kim.readCase(id);
  assert.equal(held.content.messages.length, 1, 'a colleague reads it, too');
  const listDeeds = async () => await records.selectFrom('digest_lines').selectAll().execute();
  assert.equal((await listDeeds()).length, 1, 'Kim had it');
  assert.deepEqual(await listDigestLines(records, Date.now()), [], 'not before the buyer reads it');
  await records.deleteFrom('digest_lines').execute();
  const { id: other } = await insertPlantedCase(office);
  await kim.act(other, 'take');
  await ana.act(other, 'take_over');
  await ana.sendMessage(other, { act: 'decline', text: 'Nor this.', seen: NOTHING_SEEN });
  assert.equal((await ana.act(id, 'take_back'))?.state, 'in_progress');
  assert.equal((await listDeeds()).length, 1, 'one that is told already takes no other with it');
  await ana.act(other, 'take_back');
  assert.deepEqual(await listDeeds(), []);
  for (const desk of [ana, kim]) {
    const { content, gaps, differences } = await desk.readCase(id);
    assert.deepEqual([content.messages.length, gaps, differences], [0, [], []]);
  }
  await ana.sendMessage(id, { act: 'ask', text: 'Which city?', seen: NOTHING_SEEN });
  for (const desk of [ana, kim]) {
    const { content, gaps } = await desk.readCase(id);
    const shown = content.messages.map(({ said, link }) => ['content' in said && said.content.text, link]);
    assert.deepEqual([shown, gaps], [[['Which city?', 'linked']], []]);
  }
});

test('the refund of a declined case waits, sealed to the desk, until one of them has made it, also after the purge', async () => {
  const { id } = await insertPlantedCase(office);
  const decline = { act: 'decline', text: 'We cannot.', seen: NOTHING_SEEN } as const;
  await ana.sendMessage(id, decline);
  assert.deepEqual(await ana.lists.listRefunds(), [], 'nothing is owed while it can be taken back');
  await ana.act(id, 'take_back');
  assert.deepEqual(await records.selectFrom('refunds').selectAll().execute(), []);
  await ana.sendMessage(id, decline);
  const released = { released_at: Date.now() - 1 };
  await records.updateTable('cases').set(released).where('id', '=', id).execute();
  const stored = await records.selectFrom('refunds').selectAll().executeTakeFirstOrThrow();
  assert.ok(!Buffer.from(stored.sealed).includes(PLANTED_INQUIRY.payment_ref));
  const recovery = await readPrivateKey(office.dataDir, 'recovery');
  const lastResort = await openRefundOrNull(stripErasurePadding(stored.sealed), recovery);
  assert.equal(lastResort?.payment_ref, PLANTED_INQUIRY.payment_ref, 'when all of the desk have gone');
  await purgeAfterDays(8);
  assert.deepEqual(await records.selectFrom('cases').select('id').where('id', '=', id).execute(), []);
  const [owed, ...others] = await kim.lists.listRefunds();
  assert.equal(others.length, 0);
  assert.equal(owed?.refund?.payment_ref, PLANTED_INQUIRY.payment_ref);
  assert.equal((await kim.readNumbers()).refunds, 1);
  await kim.lists.settleRefund(owed?.id ?? '');
  await assert.rejects(ana.lists.settleRefund(owed?.id ?? ''), { code: 'refused' });
  assert.equal(await countDueRefunds(records, Date.now()), 0);
  const { entries } = await ana.audit.read();
  assert.ok(
    entries.some(({ said }) => said?.act === 'settle_refund' && said.by === kim.holder && !said.case),
  );

  const { id: forgotten } = await insertPlantedCase(office);
  await ana.sendMessage(forgotten, decline);
  for (const [days, owes] of [
    [REFUND_DAYS - 2, 1],
    [REFUND_DAYS + 1, 0],
  ] as const) {
    await purgeAfterDays(days);
    assert.equal(await countDueRefunds(records, Date.now()), owes, `after ${days} days`);
  }
});

test('a colleague is told of a note, of a case that was handed over or taken over, until it is looked at', async () => {
  const { id } = await insertPlantedCase(office);
  const readTags = async (desk: typeof ana) => {
    const entry = (await desk.readQueue({ begins: id })).cases[0];
    return [entry?.news, entry?.team];
  };
  await ana.act(id, 'take');
  for (const desk of [ana, kim]) await desk.readCase(id);
  await ana.addNote(id, 'Kim, please take a second look.');
  await ana.readCase(id);
  assert.deepEqual(await readTags(kim), ['team', 'note']);
  assert.deepEqual(await readTags(ana), [null, undefined], 'not of what one wrote oneself');
  await kim.readCase(id);
  assert.deepEqual(await readTags(kim), [null, undefined]);

  await assert.rejects(kim.act(id, 'hand_over', kim.holder), { code: 'case_held' });
  await assert.rejects(ana.act(id, 'hand_over', 'A'.repeat(43)), { code: 'refused' });
  const handed = await ana.act(id, 'hand_over', kim.holder);
  assert.deepEqual([handed?.holder, handed?.handed_by], [kim.holder, ana.holder]);
  assert.deepEqual(await readTags(kim), ['team', 'handed']);
  assert.deepEqual(await readTags(ana), [null, undefined]);
  await kim.readCase(id);
  assert.deepEqual(await readTags(kim), [null, undefined]);

  await ana.act(id, 'take_over');
  await ana.readCase(id);
  assert.deepEqual(await readTags(kim), ['team', 'taken']);
  await kim.readCase(id);
  assert.deepEqual(await readTags(kim), [null, undefined]);
  const { entries } = await kim.audit.read();
  assert.ok(entries.some(({ said }) => said?.act === 'hand_over' && said.case === id));
});

test('a message says to the desk who of it wrote it, and to the buyer nothing', async () => {
  const { id, key } = await insertPlantedCase(office);
  await ana.sendMessage(id, { act: 'ask', text: 'Which city?', seen: NOTHING_SEEN });
  await kim.act(id, 'take_over');
  await kim.sendMessage(id, { act: 'message', text: 'Take your time.', seen: { buyer: 0, desk: 1 } });
  const wrote = [
    [0, ana.holder],
    [1, kim.holder],
  ];
  for (const desk of [ana, kim]) assert.deepEqual([...(await desk.readCase(id)).authors], wrote);
  const { envelopes } = await ana.readCaseFile(id);
  const { sealed = '', author } = envelopes.find(({ kind }) => kind === 'desk-message.v1') ?? {};
  const place = { kind: 'desk-message.v1', seq: 0 } as const;
  const said = JSON.stringify(await openEnvelope(key, place, Buffer.from(sealed, 'base64url')));
  assert.equal(author?.holder, ana.holder);
  for (const secret of [ana.holder, author?.salt]) assert.ok(!said.includes(secret ?? ''), said);
  // An office that names another author is not believed.
  const forged = { author: `${kim.holder} ${author?.salt}` };
  await records.updateTable('objects').set(forged).where('case_id', '=', id).execute();
  assert.deepEqual([...(await ana.readCase(id)).authors], []);
});

if (isLongRun)
  test('killed as soon as a decline is stored, the office has it once: on hold, or released, or taken back', async (t) => {
    const restartable = await createRestartableService(t, { DELIVERY_UNDO_MINUTES: '10' });
    const { dataDir, queryRows, start } = restartable;
    const first = await start();
    const form = await openPaidForm(first);
    await sendPlainForm(first, form, plainFormFields, []);
    const [row] = queryRows('select id from cases');
    const id = String(row?.['id']);
    const key = await loadOnlyDeskKey(dataDir);
    const connect = async ({ port }: { readonly port: number }) =>
      await connectConfirmedDesk(t, { dataDir, port }, key);
    const decline = { act: 'decline', text: 'We cannot.', seen: NOTHING_SEEN } as const;
    const lost = (await connect(first)).sendMessage(id, decline).catch(() => null);
    const isStored = () => queryRows("select 1 from cases where state = 'declined'").length === 1;
    await waitUntil('the decline is stored', isStored);
    await killService(first);
    await lost;

    const second = await start();
    const desk = await connect(second);
    const count = (table: string, kind = '1 = 1') =>
      Number(queryRows(`select count(*) as n from ${table} where ${kind}`)[0]?.['n']);
    const countStored = () => [count('objects', "kind = 'desk-message.v1'"), count('refunds')];
    assert.deepEqual(countStored(), [1, 1]);
    assert.ok((await desk.readCase(id)).facts.held_until, 'it can still be taken back');
    await assert.rejects(desk.sendMessage(id, decline), { code: 'case_changed' });
    assert.deepEqual(countStored(), [1, 1], 'once');
    await desk.act(id, 'take_back');
    await killService(second);

    const third = await connect(await start());
    assert.deepEqual(countStored(), [0, 0]);
    const { facts, content } = await third.readCase(id);
    assert.deepEqual([facts.state, facts.held_until, content.messages.length], ['received', null, 0]);
  });
