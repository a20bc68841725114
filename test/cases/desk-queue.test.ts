/** The desk's queue: the assignees of cases, the permitted acts, and what each view lists and counts. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { deliverSealedFinding } from '#cases/delivery.ts';
import { reassignCase, takeCase, unassignCase } from '#cases/desk/assignment.ts';
import { createPreviousAssigneeCheck } from '#cases/desk/desk-people.ts';
import { chooseCases, type DeskQueueRequest, readDeskQueue } from '#cases/desk/desk-queue.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { applyCallAction, requireCase, updateKeepDays } from '#cases/states.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { decodePageCursor } from '#platform/page-cursor.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import type { Case } from '#store/cases/cases.ts';
import { countChosenCases, listCaseIdsByBeginning } from '#store/cases/desk-queue.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore } from '#test/store/engines.ts';
import { fillStore } from '#test/store/filled-store.ts';
import { MAX_COUNTED } from '#wire/desk-cases.ts';
import { seedCase } from './seeded-case.ts';

const cleanUp = withReverseCleanup({ after });
const START = Date.UTC(2027, 0, 1);
const [ANNA, BEN] = ['A'.repeat(43), 'B'.repeat(43)];
const OPEN = { state: 'received', delivered_at: null, purge_at: null, submitted_at: START } as const;
const key = await generateCaseKey(await deriveWordKeys(generateWords()));
const sealed = await sealEnvelope(key, { kind: 'desk-message.v1', seq: 0 }, { text: 'x', call_windows: [] });
const readCode = (error: unknown) => (error instanceof ServiceError ? error.code : String(error));

for (const engine of await listEngines(cleanUp))
  suite(`the queue of the desk on ${engine.name}`, async () => {
    const store = await openTestStore(cleanUp, await engine.createDatabase(cleanUp));
    let now = START;
    const services = { clock: { now: () => now }, store };
    const findRecord = async ({ id }: Pick<Case, 'id'>) => await requireCase(store.records, id, now);
    const seedOpenCase = async (changes: Partial<Case> = {}) =>
      (await seedCase(store, { ...OPEN, ...changes }, 24)).record;
    const write = async ({ id }: Case, investigator: string | null, seq = 0) =>
      await addCaseMessage(services, id, { by: 'desk', seq, sealed, investigator });
    const readQueue = async (request: Partial<DeskQueueRequest>) =>
      await readDeskQueue(services, {
        investigator: ANNA,
        isOwner: false,
        hasLeft: await createPreviousAssigneeCheck(store.records),
        page: { limit: 50 },
        ...request,
      });

    test('of two who take a case at once one has it, whatever its state, and the other is told', async () => {
      for (const state of ['received', 'in_progress', 'awaiting_client'] as const) {
        const { id } = await seedOpenCase({ state });
        const results = await Promise.allSettled([ANNA, BEN].map((who) => takeCase(services, id, who)));
        const codes = results.map((result) => ('reason' in result ? readCode(result.reason) : 'taken'));
        assert.deepEqual(codes.toSorted(), ['case_held', 'taken']);
        const { assignee, state: next } = await findRecord({ id });
        assert.equal(assignee, codes[0] === 'taken' ? ANNA : BEN);
        assert.equal(next, 'in_progress');
      }
    });

    test('a case is taken over and let go, and repeating changes nothing', async () => {
      const record = await seedOpenCase();
      now += 1;
      const taken = await takeCase(services, record.id, ANNA);
      assert.deepEqual([taken.assignee, taken.changed_at, taken.taken_at], [ANNA, now, now]);
      now += 1;
      assert.deepEqual({ ...(await takeCase(services, record.id, ANNA)) }, taken);
      await assert.rejects(unassignCase(services, record.id, BEN), { code: 'case_held' });
      const over = await reassignCase(services, record.id, BEN);
      assert.deepEqual([over.assignee, over.state, over.changed_at], [BEN, 'in_progress', now]);
      assert.deepEqual({ ...(await reassignCase(services, record.id, BEN)) }, over);
      assert.equal((await unassignCase(services, record.id, BEN)).assignee, null);
      assert.equal((await unassignCase(services, record.id, ANNA)).assignee, null);
      assert.equal((await takeCase(services, record.id, ANNA)).assignee, ANNA);
      const ended = await seedOpenCase({ state: 'declined', purge_at: now + HOUR_MS, assignee: ANNA });
      assert.equal((await reassignCase(services, ended.id, BEN)).assignee, BEN, 'to answer in it');
      await assert.rejects(takeCase(services, ended.id, BEN), { code: 'case_state' });
    });

    test('writing takes an unassigned case, is refused in a colleague’s, and asks nothing without a key', async () => {
      const record = await seedOpenCase();
      assert.equal((await write(record, null)).assignee, null);
      assert.equal((await write(record, ANNA, 0)).assignee, null, 'a repeated message changes nothing');
      const written = await write(record, ANNA, 1);
      assert.deepEqual([written.assignee, written.state], [ANNA, 'received']);
      const { changed_at: before } = await findRecord(record);
      now += 1;
      await assert.rejects(write(record, BEN, 2), { code: 'case_held' });
      const finding = { finding: sealed, files: [], uploader: 'x', investigator: BEN };
      await assert.rejects(deliverSealedFinding(services, record.id, finding), { code: 'case_held' });
      const reason = { by: 'desk', seq: 2, sealed, retain: 90 } as const;
      const keepLonger = (investigator: string) =>
        addCaseMessage(services, record.id, { ...reason, investigator });
      await assert.rejects(keepLonger(BEN), { code: 'case_held' });
      assert.equal((await findRecord(record)).changed_at, before, 'nothing is left of what is refused');
      const kept = await keepLonger(ANNA);
      assert.deepEqual([kept.keep_days, (await findRecord(record)).changed_at], [90, now]);
      assert.equal((await write(record, null, 2)).assignee, ANNA);
    });

    test('of a take-over and a message at once, nothing is written in a case that is lost', async () => {
      for (let round = 0; round < 5; round += 1) {
        const record = await seedOpenCase({ state: 'in_progress', assignee: ANNA });
        const [writing] = await Promise.allSettled([
          write(record, ANNA),
          reassignCase(services, record.id, BEN),
        ]);
        const { assignee } = await findRecord(record);
        const isWritten = writing.status === 'fulfilled';
        if (!isWritten) assert.match(readCode(writing.reason), /^case_(held|changed)$/);
        // If the message was second, it was refused; if it was first, the take-over may have been refused.
        assert.ok(isWritten || assignee === BEN);
        const { cases } = await readQueue({ beginnings: [record.id] });
        assert.equal(cases[0]?.messages.desk, isWritten ? 1 : 0);
      }
    });

    test('every view lists its cases, the earliest due first, and the counts agree', async () => {
      await store.records.deleteFrom('object_pieces').execute();
      await store.records.deleteFrom('objects').execute();
      await store.records.deleteFrom('cases').execute();
      const seed = async (changes: Partial<Case>, hours: number) =>
        await seedOpenCase({ due_at: now + hours * HOUR_MS, ...changes });
      const late = await seed({ state: 'in_progress', assignee: BEN, tier: 'Dossier' }, -2);
      const mine = await seed({ state: 'awaiting_client', assignee: ANNA }, 3);
      const asked = await seed({ state: 'in_progress', assignee: ANNA, awaiting_reply_since: now }, 1);
      const fresh = await seed({ tier: 'Deep Sweep' }, 5);
      const delivered = { state: 'delivered', purge_at: now + HOUR_MS } as const;
      const onHold = { state_on_hold: 'in_progress', released_at: now + 1 } as const;
      const held = await seed({ ...delivered, ...onHold, assignee: ANNA }, 2);
      const answered = await seed({ ...delivered, awaiting_reply_since: now }, -9);
      const gone = await seed({ state: 'declined', purge_at: now + HOUR_MS, awaiting_reply_since: now }, 9);
      await seed({ state: 'withdrawn', purge_at: now - 1 }, 1);
      const toIds = (cases: readonly Case[]) => cases.map(({ id }) => id);
      const views: readonly (readonly [Partial<DeskQueueRequest>, readonly Case[]])[] = [
        [{}, [late, asked, held, mine, fresh]],
        [{ view: 'mine' }, [asked, held, mine]],
        [{ view: 'mine', investigator: BEN }, [late]],
        [{ view: 'unanswered' }, [answered, asked, gone]],
        [{ view: 'late' }, [late]],
        [{ view: 'unassigned' }, [fresh]],
        [{ view: 'ended' }, [answered, held, gone]],
        [{ tier: 'Dossier' }, [late]],
        [{ view: 'mine', tier: 'Trace' }, [asked, held, mine]],
        [{ view: 'unanswered', tier: 'Dossier' }, []],
      ];
      for (const [request, expected] of views) {
        const { cases } = await readQueue(request);
        assert.deepEqual(toIds(cases.map(({ record }) => record)), toIds(expected), JSON.stringify(request));
      }
      const { counts } = await readQueue({});
      assert.deepEqual(counts, { open: 5, mine: 3, unanswered: 3, late: 1, unassigned: 1 });
      const pages: string[] = [];
      for (let next: string | null = '', count = 0; next !== null; count += 1) {
        assert.ok(count < 5);
        const cursor = next ? decodePageCursor(next) : null;
        const page = await readQueue({ page: { limit: 2, after: cursor ?? undefined } });
        pages.push(...page.cases.map(({ record: { id } }) => id));
        next = page.next;
      }
      assert.deepEqual(pages, toIds([late, asked, held, mine, fresh]));
    });

    test('counting stops at the largest number that is shown', async () => {
      await fillStore(store.records, MAX_COUNTED + 1);
      const ended = chooseCases('ended', null, now);
      assert.equal(await countChosenCases(store.records, ended, now), MAX_COUNTED);
    });

    test('what has changed since is listed, the earliest change first, with a minute more', async () => {
      now += HOUR_MS;
      const since = now;
      const record = await seedOpenCase({ tier: 'Dossier', submitted_at: since - HOUR_MS });
      const old = await seedOpenCase({ submitted_at: since - MINUTE_MS - 1 });
      const submitted = await seedOpenCase({ submitted_at: since - MINUTE_MS });
      const listChanges = async () =>
        (await readQueue({ changedSince: since })).cases.map(({ record: { id } }) => id);
      assert.deepEqual(await listChanges(), [submitted.id]);
      now += 1;
      await write(record, null);
      assert.deepEqual(await listChanges(), [submitted.id, record.id]);
      for (const change of [
        () => takeCase(services, old.id, ANNA),
        () => unassignCase(services, old.id, ANNA),
        () => updateKeepDays(store.records, record, 90, now),
        () => applyCallAction(store.records, record, 'offer', { by: 'desk', now }),
      ]) {
        now += 1;
        const { id } = await change();
        assert.deepEqual((await listChanges()).at(-1), id);
      }
    });

    test('ids are found by how they begin', async () => {
      const { id } = await seedOpenCase({ id: 'beginsXlikeAnotherCase' });
      const other = await seedOpenCase({ id: 'begins_likeAnotherCase' });
      const find = (...beginnings: string[]) => listCaseIdsByBeginning(store.records, beginnings, now);
      assert.deepEqual(await find(id.slice(0, 6)), [id, other.id].toSorted());
      assert.deepEqual(await find(other.id.slice(0, 7), '%%%'), [other.id]);
      assert.deepEqual(await find('___%'), []);
      const purged = await seedOpenCase({ state: 'declined', purge_at: now });
      assert.deepEqual(await find(purged.id.slice(0, 8)), []);
    });
  });
