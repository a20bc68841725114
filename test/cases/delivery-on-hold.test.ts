/** Findings and declines on hold: until their release, nothing reveals them, and the desk can take them back. */
import assert from 'node:assert/strict';
import test, { after, beforeEach, suite } from 'node:test';
import { deliverSealedFinding, takeBackAnswer, toDeliveryUploader } from '#cases/delivery.ts';
import { countByWeek } from '#cases/desk/week-counts.ts';
import { purgeCaseNow, requestPurge, undoPurge } from '#cases/ending/purge.ts';
import { storeUpload } from '#cases/intake/uploads.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { readContentsForBuyer } from '#cases/sealing/sealed-case.ts';
import { requireCase, updateKeepDaysById, withdrawCase } from '#cases/states.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { MAX_FINDING_FILE_BYTES, toFindingFileSeq } from '#seal/case/finding.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { countCasesAwaitingReply } from '#store/cases/awaiting-reply.ts';
import { type Case, markCaseForPurge } from '#store/cases/cases.ts';
import { listCasesByDue } from '#store/cases/desk-queue.ts';
import { listCaseObjects } from '#store/cases/objects.ts';
import { countDueRefunds, insertRefund } from '#store/cases/refunds.ts';
import { updateLastSeenTime } from '#store/clock-guard.ts';
import { type AgentCase, openAgentCase, openApiTestbed, sealBuyerMessage } from '#test/api/api-testbed.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { lookAround } from './buyer-view.ts';
import { addSealedMessage } from './sealed-message.ts';
import { seedCase } from './seeded-case.ts';

const cleanUp = withReverseCleanup({ after });
const UNDO_MS = 2 * MINUTE_MS;
const engines = await listEngineVariables(cleanUp);

for (const [engine, env] of Object.entries(engines)) {
  let offset = 0;
  const clock = { now: () => Date.now() + offset };
  const testbed = await openApiTestbed(cleanUp, { env, clock });
  const agent = await testbed.createAgent();
  const { services, store } = testbed;

  const readRecord = async ({ id }: AgentCase) => await requireCase(store.records, id, clock.now());
  const deliver = async (
    sent: AgentCase,
    { seq = 0, undoMs = UNDO_MS, text = 'CANARY' } = {},
  ): Promise<Case> => {
    const uploader = toDeliveryUploader(sent.id);
    const place = { kind: 'finding-file.v1', seq: toFindingFileSeq(seq, 0) } as const;
    const content = ReadableStream.from([Buffer.from('pages')]);
    const source = { name: 'a.pdf', mime: 'text/plain', content, maxBytes: MAX_FINDING_FILE_BYTES };
    const file = await storeUpload(services, uploader, await sealFile(sent.form.key, place, source));
    const body = { markdown: text, files: [{ name: 'a.pdf', mime: 'text/plain', size: 5 }] };
    const finding = await sealEnvelope(sent.form.key, { kind: 'finding.v1', seq }, body);
    return await deliverSealedFinding(services, sent.id, { finding, files: [file], uploader, seq, undoMs });
  };
  const ask = async ({ id, form: { key } }: AgentCase) =>
    await addSealedMessage(services, { id, key }, { by: 'desk', seq: 0, act: 'ask' });
  const decline = async (
    { id, form: { key } }: AgentCase,
    { seq = 0, undoMs = UNDO_MS, text = 'REASON' } = {},
  ) => {
    const message = { by: 'desk', seq, act: 'decline', undoMs } as const;
    return await addSealedMessage(services, { id, key }, message, { text, act: 'decline' });
  };
  const listKinds = async ({ id }: AgentCase) =>
    (await listCaseObjects(store.records, id)).map(({ kind, seq }) => `${kind} ${seq}`).toSorted();
  /** An answer is given, and the buyer is shown what was there before; returns what the desk sees. */
  const answerUnseen = async (sent: AgentCase, answer: () => Promise<Case>) => {
    const before = await lookAround(testbed, agent, sent);
    const { released_at: releasedAt, ...record } = await answer();
    assert.ok(releasedAt !== null && Math.abs(releasedAt - clock.now() - UNDO_MS) < 10_000);
    assert.deepEqual(await lookAround(testbed, agent, sent), before);
    return { ...record, releasedAt };
  };
  /** The buyer writes, and chooses the days, as in the state that is shown. */
  const actAsBuyer = async (sent: AgentCase, state: 'delivered' | 'declined') => {
    const countAwaitingReply = async () => await countCasesAwaitingReply(store.records, [state]);
    const awaitingReply = await countAwaitingReply();
    offset += MINUTE_MS;
    const message = { seq: 0, sealed: await sealBuyerMessage(sent, 'Ann') };
    const answer = await agent.request('POST', `/cases/${sent.id}/messages`, message);
    assert.deepEqual([answer.json['state'], answer.json['delivered_at']], ['in_progress', null], answer.text);
    assert.equal(await countAwaitingReply(), awaitingReply + 1, 'the answer was written before it');
    const kept = await agent.request('PUT', `/cases/${sent.id}/retention`, { keep_days: 90 });
    assert.deepEqual([kept.json['state'], kept.json['purge_at']], ['in_progress', null], kept.text);
    const record = await readRecord(sent);
    assert.equal(record.state, state);
    return record;
  };

  suite(`a held delivery on ${engine}`, () => {
    test('an answer that a clock far ahead has put on hold is on hold nowhere once the clock is right', async () => {
      const now = clock.now();
      const { record } = await seedCase(store, { state_on_hold: 'in_progress', purge_at: now + DAY_MS });
      const { records } = store;
      const readPlaces = async (releasedAt: number) => {
        await records
          .updateTable('cases')
          .set({ state: 'declined', submitted_at: now, released_at: releasedAt })
          .where('id', '=', record.id)
          .execute();
        const queue = await listCasesByDue(records, { states: [], withOnHold: true }, { limit: 500 }, now);
        const counts = await countByWeek(records, now);
        return {
          queue: queue.some(({ id }) => id === record.id),
          counts: counts.some(({ what }) => what === 'declined'),
          refunds: await countDueRefunds(records, now),
        };
      };
      const before = await countDueRefunds(records, now);
      const owed = { id: record.id, purge_at: now + DAY_MS, sealed: new Uint8Array([1]) };
      await insertRefund(records, { ...owed, case_id: record.id });
      const onHold = { queue: true, counts: false, refunds: before };
      assert.deepEqual(await readPlaces(now + DAY_MS), onHold);
      const released = { queue: false, counts: true, refunds: before + 1 };
      assert.deepEqual(await readPlaces(now + DAY_MS + 1), released);
      const purge = { states: ['declined'], now } as const;
      assert.ok(await store.transaction((inside) => markCaseForPurge(inside, record.id, purge)));
    });

    test('shows the buyer exactly what was there before, until it is released by the clock alone', async () => {
      const sent = await openAgentCase(testbed, agent);
      await ask(sent);
      const { releasedAt, ...record } = await answerUnseen(sent, () => deliver(sent));
      assert.equal(record.state, 'delivered', 'for the desk');
      assert.deepEqual([record.delivered_at, record.purge_at], [releasedAt, releasedAt + 30 * DAY_MS]);
      const hidden = (await listCaseObjects(store.records, sent.id)).filter(({ kind }) =>
        kind.startsWith('finding'),
      );
      for (const { id } of hidden)
        assert.equal((await agent.request('GET', `/cases/${sent.id}/files/${id}`)).status, 404);
      assert.equal(hidden.length, 2);

      offset += UNDO_MS;
      const shown = await lookAround(testbed, agent, sent);
      assert.deepEqual(
        [shown.detail['state'], shown.detail['delivered_at'], shown.detail['purge_at']],
        ['delivered', new Date(releasedAt).toISOString(), new Date(releasedAt + 30 * DAY_MS).toISOString()],
      );
      assert.match(shown.page.text, /Your answer is here/);
      assert.deepEqual([shown.file.status, shown.file.text, shown.sealedFile.status], [200, 'pages', 200]);
      await assert.rejects(takeBackAnswer(services, sent.id), /case_state|can already read/);
    });

    test('is released when the finding is due, if that is sooner and still ahead', async () => {
      const sent = await openAgentCase(testbed, agent);
      const { records } = store;
      const setDue = async (due: number) =>
        await records.updateTable('cases').set({ due_at: due }).where('id', '=', sent.id).execute();
      const soon = clock.now() + MINUTE_MS;
      await setDue(soon);
      assert.equal((await deliver(sent)).released_at, soon);
      await takeBackAnswer(services, sent.id);
      await setDue(clock.now() - HOUR_MS);
      const late = await deliver(sent, { seq: 1 });
      assert.ok((late.released_at ?? 0) > clock.now() + MINUTE_MS, 'a late one can be taken back too');
      const atOnce = await openAgentCase(testbed, agent);
      await deliver(atOnce, { undoMs: 0 });
      assert.equal((await agent.request('GET', `/cases/${atOnce.id}`)).json['state'], 'delivered');
    });

    test('taken back leaves nothing, and the next finding takes the next number', async () => {
      const sent = await openAgentCase(testbed, agent);
      const before = await listKinds(sent);
      await deliver(sent);
      const back = await takeBackAnswer(services, sent.id);
      const { delivered_at, released_at, state_on_hold, purge_at } = back;
      assert.deepEqual([back.state, back.finding_seq], ['in_progress', 1]);
      assert.deepEqual([delivered_at, released_at, state_on_hold, purge_at], [null, null, null, null]);
      assert.deepEqual(await listKinds(sent), before);
      await assert.rejects(takeBackAnswer(services, sent.id), { code: 'case_state' });
      await assert.rejects(deliver(sent), { code: 'case_changed' }, 'not the previous number');
      assert.deepEqual(await listKinds(sent), before);
      await deliver(sent, { seq: 1, undoMs: 0 });
      const kinds = (await listKinds(sent)).filter((kind) => kind.startsWith('finding'));
      assert.deepEqual(kinds, ['finding-file.v1 50', 'finding.v1 1']);
      const { page } = await lookAround(testbed, agent, sent);
      assert.match(page.text, /name="seq" value="50"/);
    });

    test('sent again changes nothing, and another finding is refused while it is held', async () => {
      const sent = await openAgentCase(testbed, agent);
      const uploader = toDeliveryUploader(sent.id);
      const text = { markdown: 'A', files: [] };
      const finding = await sealEnvelope(sent.form.key, { kind: 'finding.v1', seq: 0 }, text);
      const body = { finding, files: [], uploader, undoMs: UNDO_MS };
      const first = await deliverSealedFinding(services, sent.id, body);
      const again = await deliverSealedFinding(services, sent.id, { ...body, undoMs: 0 });
      assert.equal(again.released_at, first.released_at);
      await assert.rejects(deliver(sent), { code: 'case_state' });
    });

    test('lets the buyer do what the shown state allows: answer, choose the days, and not erase', async () => {
      const sent = await openAgentCase(testbed, agent);
      await ask(sent);
      const { released_at: releasedAt } = await deliver(sent);
      const record = await actAsBuyer(sent, 'delivered');
      assert.equal(record.purge_at, (releasedAt ?? 0) + 90 * DAY_MS);
      await assert.rejects(purgeCaseNow(services, sent.id), { publicMessage: /being worked on/ });
      await updateKeepDaysById(services, sent.id, 30);
      offset += UNDO_MS;
      assert.equal((await agent.request('GET', `/cases/${sent.id}`)).json['state'], 'delivered');
    });

    test('is discarded by a withdrawal, which cannot be taken back', async () => {
      const sent = await openAgentCase(testbed, agent);
      const before = await listKinds(sent);
      await deliver(sent);
      const { status, json } = await agent.request('DELETE', `/cases/${sent.id}`);
      assert.deepEqual([status, json['state'], json['delivered_at']], [200, 'withdrawn', null]);
      const record = await readRecord(sent);
      assert.deepEqual([record.state, record.released_at, record.state_on_hold], ['withdrawn', null, null]);
      assert.ok((record.purge_at ?? 0) <= clock.now() + DAY_MS);
      assert.deepEqual(await listKinds(sent), before);
      await assert.rejects(takeBackAnswer(services, sent.id), { code: 'case_state' });
      assert.equal((await withdrawCase(services, sent.id)).state, 'withdrawn');
      await purgeCaseNow(services, sent.id);
      const left = store.records.selectFrom('objects').select('id').where('uploader', '=', 'discarded');
      assert.deepEqual(await left.execute(), [], 'what was discarded goes with the case');
    });

    test('can be purged by its buyer, who has read it, though the clock went back since', async () => {
      const sent = await openAgentCase(testbed, agent);
      await deliver(sent);
      offset += UNDO_MS - 31 * DAY_MS;
      await purgeCaseNow(services, sent.id);
      offset = 0;
      await assert.rejects(readRecord(sent), { code: 'case_unknown' });
    });

    test('is not shown with a record that was read before it', async () => {
      const sent = await openAgentCase(testbed, agent);
      const record = await readRecord(sent);
      await deliver(sent);
      const { objects } = await readContentsForBuyer(services, record, clock.now());
      assert.deepEqual([objects.length, objects[0]?.kind], [1, 'inquiry.v1']);
    });

    test('taken back and withdrawn at once has one outcome', async () => {
      for (let round = 0; round < 3; round += 1) {
        const sent = await openAgentCase(testbed, agent);
        await deliver(sent);
        await Promise.allSettled([takeBackAnswer(services, sent.id), withdrawCase(services, sent.id)]);
        const { state, state_on_hold: held } = await readRecord(sent);
        assert.deepEqual([state, held], ['withdrawn', null], 'a withdrawal is possible before and after');
      }
    });

    test('that was released stays so for a clock that went back', async () => {
      const sent = await openAgentCase(testbed, agent);
      const { released_at: releasedAt } = await deliver(sent);
      await updateLastSeenTime(store.records, releasedAt ?? 0, 0);
      await assert.rejects(takeBackAnswer(services, sent.id), { code: 'case_state' });
      await store.records.deleteFrom('last_seen_time').execute();
    });
  });

  suite(`a held decline on ${engine}`, () => {
    test('that was read under a clock ahead is not on hold again later, once the desk has written more', async () => {
      const sent = await openAgentCase(testbed, agent);
      offset = 2 * DAY_MS;
      await decline(sent);
      offset = 0;
      await addSealedMessage(services, { id: sent.id, key: sent.form.key }, { by: 'desk', seq: 1 });
      for (const days of [1.5, -0.5]) {
        offset = days * DAY_MS;
        await assert.rejects(withdrawCase(services, sent.id), { code: 'case_state' }, `${days} days`);
      }
      offset = 0;
      assert.deepEqual(await listKinds(sent), ['desk-message.v1 0', 'desk-message.v1 1', 'inquiry.v1 0']);
    });

    test('that was read under a clock ahead is not on hold again later, once its purge was asked for', async () => {
      const sent = await openAgentCase(testbed, agent);
      offset = 1.2 * DAY_MS;
      const { purge_at: purgeAt } = await decline(sent);
      offset = 0;
      await requestPurge(services, sent.id, 'investigator');
      offset = 0.9 * DAY_MS;
      const kept = await undoPurge(services, sent.id, 'investigator');
      assert.deepEqual([kept.purge_at, kept.kept_until], [purgeAt, null]);
    });

    for (const by of ['desk', 'buyer'] as const)
      test(`that was read is not on hold again once the ${by} has written more, though the clock goes back`, async () => {
        const sent = await openAgentCase(testbed, agent);
        await decline(sent);
        offset = UNDO_MS;
        const message = { by, seq: by === 'desk' ? 1 : 0 };
        await addSealedMessage(services, { id: sent.id, key: sent.form.key }, message);
        offset = 0;
        await assert.rejects(withdrawCase(services, sent.id), { code: 'case_state' });
        const kinds = await listKinds(sent);
        assert.ok(kinds.includes('desk-message.v1 0') && kinds.length === 3, kinds.join());
        const { objects } = await readContentsForBuyer(services, await readRecord(sent), clock.now());
        assert.equal(objects.length, 3, 'a decline is shown with its reason');
      });

    // The payment provider accepts only a clock that is about right.
    beforeEach(() => {
      offset = 0;
    });

    test('shows the buyer exactly what was there before, until it is released by the clock alone', async () => {
      const sent = await openAgentCase(testbed, agent);
      await ask(sent);
      const unread = await readRecord(sent);
      const { releasedAt, ...record } = await answerUnseen(sent, () => decline(sent, { seq: 1 }));
      assert.deepEqual([record.state, record.delivered_at], ['declined', null], 'for the desk');
      assert.equal(record.purge_at, releasedAt + 7 * DAY_MS);
      const { objects } = await readContentsForBuyer(services, unread, clock.now());
      assert.equal(objects.length, 2, 'nor with a record that was read before it');

      offset += UNDO_MS;
      const shown = await lookAround(testbed, agent, sent);
      assert.equal(shown.detail['state'], 'declined');
      assert.match(shown.page.text, /REASON/);
      assert.equal(findMessageTime(shown.messages, 1), new Date(releasedAt).toISOString());
      await assert.rejects(takeBackAnswer(services, sent.id), { code: 'case_state' });
    });

    test('taken back leaves what was there before, and its number to the next message', async () => {
      const sent = await openAgentCase(testbed, agent);
      await ask(sent);
      // As if the clock had been set back since.
      const asked = store.records.updateTable('objects').where('case_id', '=', sent.id);
      const later = asked.set({ kept_at: clock.now() + DAY_MS });
      await later.where('kind', '=', 'desk-message.v1').execute();
      const [before, kinds] = [await lookAround(testbed, agent, sent), await listKinds(sent)];
      await decline(sent, { seq: 1 });
      const back = await takeBackAnswer(services, sent.id);
      assert.deepEqual(
        [back.state, back.released_at, back.state_on_hold, back.purge_at, back.finding_seq],
        ['awaiting_client', null, null, null, 0],
      );
      assert.deepEqual(await listKinds(sent), kinds);
      await assert.rejects(takeBackAnswer(services, sent.id), { code: 'case_state' });
      offset += UNDO_MS;
      assert.deepEqual(await lookAround(testbed, agent, sent), before, 'also when it would be released');
      await decline(sent, { seq: 1, undoMs: 0, text: 'Another reason' });
      const { page } = await lookAround(testbed, agent, sent);
      assert.match(page.text, /Another reason/);
      assert.doesNotMatch(page.text, /REASON/);
    });

    test('sent again changes nothing, and nothing else is written by the desk meanwhile', async () => {
      const sent = await openAgentCase(testbed, agent);
      const sealed = await sealEnvelope(sent.form.key, { kind: 'desk-message.v1', seq: 0 }, { text: 'No' });
      const message = { by: 'desk', seq: 0, sealed, act: 'decline', undoMs: UNDO_MS } as const;
      const first = await addCaseMessage(services, sent.id, message);
      const again = await addCaseMessage(services, sent.id, { ...message, undoMs: 0 });
      assert.equal(again.released_at, first.released_at);
      await assert.rejects(decline(sent, { seq: 1 }), { code: 'case_state' });
      await assert.rejects(deliver(sent), { code: 'case_state' });
    });

    test('lets the buyer answer and choose the days, and a withdrawal discards it', async () => {
      const sent = await openAgentCase(testbed, agent);
      await ask(sent);
      const { purge_at: purgeAt } = await decline(sent, { seq: 1 });
      assert.equal((await actAsBuyer(sent, 'declined')).purge_at, purgeAt);
      await assert.rejects(
        addSealedMessage(services, { id: sent.id, key: sent.form.key }, { by: 'desk', seq: 2 }),
        { code: 'case_state' },
        'it would be read before the reason',
      );
      const owed = { id: sent.id, case_id: sent.id, purge_at: 0, sealed: new Uint8Array([1]) };
      await insertRefund(services.store.records, owed);
      await agent.request('DELETE', `/cases/${sent.id}`);
      const withdrawn = await readRecord(sent);
      assert.deepEqual([withdrawn.state, withdrawn.released_at], ['withdrawn', null]);
      const now = services.clock.now();
      assert.equal(await countDueRefunds(services.store.records, now), 1, 'the money is still owed');
      offset += UNDO_MS;
      assert.doesNotMatch((await lookAround(testbed, agent, sent)).page.text, /REASON/);
    });
  });
}

function findMessageTime({ messages }: Record<string, unknown>, seq: number): string | undefined {
  const listed = messages as readonly {
    readonly seq: number;
    readonly sent_at: string;
    readonly by: string;
  }[];
  return listed.find((each) => each.seq === seq && each.by === 'desk')?.sent_at;
}
