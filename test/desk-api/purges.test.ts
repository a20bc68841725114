/** A purge by the desk waits a day and can be undone; its entry then names for good who did it, but not the case. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { setImmediate as waitTurn } from 'node:timers/promises';
import { createPurger, purgeCaseNow, undoPurge } from '#cases/ending/purge.ts';
import { updateKeepDaysById } from '#cases/states.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { listAuditEntries } from '#store/audit-log.ts';
import { type Case, findCase, undoWaitingPurges } from '#store/cases/cases.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { chainAppended, checkAuditChain } from '#test/store/audit-check.ts';
import { listEngines, openTestStore, silentLog } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import type { DeskCase, DeskQueue } from '#wire/desk-cases.ts';
import { buildDeskApp, type SignedInDesk, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase, type PlantedCase } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const RACES = 8;

for (const engine of await listEngines(cleanUp))
  suite(`on ${engine.name}`, async () => {
    const database = await engine.createDatabase(cleanUp);
    const people = { otto: 'owner', olive: 'investigator', ivan: 'investigator' } as const;
    const office = await buildDeskApp(cleanUp, people, database);
    const { records } = office.store;
    const sweepAt = (at: number, store = office.store) =>
      createPurger({ ...office.services, ...createTrustedClock({ now: () => at }), store }, silentLog).run();
    const otto = await signInAtDesk(office, office.keys.otto);
    const olive = await signInAtDesk(office, office.keys.olive);
    const ivan = await signInAtDesk(office, office.keys.ivan);
    const perform = async (desk: SignedInDesk, id: string, act: string) => {
      const { status, json, text } = await desk.send(`/cases/${id}/acts`, { method: 'POST', body: { act } });
      return { status, text, code: json['code'], facts: json['case'] as DeskCase | null };
    };
    const decline = async (desk: SignedInDesk, { id, key }: PlantedCase) => {
      const body = { text: 'no', call_windows: [], seen: 0, thread: '' };
      const sealed = Buffer.from(await sealEnvelope(key, { kind: 'desk-message.v1', seq: 0 }, body));
      const message = { seq: 0, sealed: sealed.toString('base64url'), act: 'decline' };
      const answer = await desk.send(`/cases/${id}/messages`, { method: 'POST', body: message });
      assert.equal(answer.status, 200, answer.text);
    };
    const insertDeclined = async (changes: Partial<Case> = {}) =>
      await insertPlantedCase(office, { state: 'declined', purge_at: Date.now() + 7 * DAY_MS, ...changes });
    const readEntries = async () => {
      await chainAppended(records);
      return (await listAuditEntries(records, { limit: 100 })).map(({ entry }) =>
        JSON.parse(entry ?? 'null'),
      );
    };
    const listPurges = async () =>
      (await readEntries()).filter((each) => each?.act === 'purge' && !each.case);

    test('an investigator who takes over, declines and purges a case is seen, can be stopped, and is named', async () => {
      const planted = await insertPlantedCase(office);
      const { id } = planted;
      await perform(olive, id, 'take');
      await ivan.send(`/cases/${id}`);
      await perform(ivan, id, 'take_over');
      await decline(ivan, planted);
      const shown = (await findCase(records, id, Date.now()))?.purge_at;
      const before = Date.now();
      const asked = await perform(ivan, id, 'purge');
      assert.equal(asked.status, 200, asked.text);
      assert.equal(asked.facts?.purge_by, ivan.session.holder);
      const until = Date.parse(asked.facts?.purge_at ?? '');
      assert.ok(until >= before + DAY_MS && until <= Date.now() + DAY_MS);
      await sweepAt(until - 1);

      const queue = (await olive.send('/cases?view=purges')).json as unknown as DeskQueue;
      const [waiting, ...others] = queue.cases;
      assert.deepEqual([waiting?.id, waiting?.purge_by, others], [id, ivan.session.holder, []]);
      assert.ok(waiting?.acts.includes('undo_purge'));
      const { status, facts } = await perform(olive, id, 'undo_purge');
      assert.deepEqual([status, facts?.purge_by, Date.parse(facts?.purge_at ?? '')], [200, null, shown]);
      const acts = (await readEntries()).filter((each) => each?.case === id).map((each) => each.act);
      assert.deepEqual(acts, ['undo_purge', 'purge', 'decline', 'take_over', 'read', 'take']);
      await sweepAt(until);
      assert.ok(await findCase(records, id, until), 'an undone purge does not happen');
      assert.deepEqual(await listPurges(), []);

      await perform(ivan, id, 'purge');
      const happens = until + HOUR_MS;
      await sweepAt(happens);
      assert.equal(await findCase(records, id, 0), undefined);
      const at = `${new Date(happens).toISOString().slice(0, 10)}T00:00:00.000Z`;
      assert.deepEqual(await listPurges(), [{ at, by: ivan.session.holder, act: 'purge' }]);
      assert.equal((await checkAuditChain(records, null)).fault, null);
      assert.ok(!JSON.stringify(await listAuditEntries(records, { limit: 100 })).includes(id));
    });

    test('an owner purges at once, an investigator may not, and both are told so', async () => {
      const { id } = await insertDeclined();
      const readActs = async (desk: SignedInDesk) =>
        ((await desk.send(`/cases/${id}`)).json['case'] as DeskCase).acts.filter((each) =>
          each.includes('purge'),
        );
      assert.deepEqual(await readActs(ivan), ['purge']);
      assert.deepEqual(await readActs(otto), ['purge', 'purge_now']);
      const refused = await perform(ivan, id, 'purge_now');
      assert.deepEqual([refused.status, refused.code], [403, 'owner_only']);
      const before = (await listPurges()).length;
      await perform(ivan, id, 'purge');
      assert.deepEqual(await readActs(ivan), ['undo_purge']);
      const purged = await perform(otto, id, 'purge_now');
      assert.deepEqual([purged.status, purged.facts], [200, null]);
      const [last, ...others] = await listPurges();
      assert.equal(last.by, otto.session.holder);
      assert.equal(others.length, before);
    });

    test('what the table does not have is refused: asking twice, undoing what was not asked, a case at work', async () => {
      const { id } = await insertDeclined();
      const working = await insertPlantedCase(office);
      const refuseAll = async (...tries: [string, string][]) => {
        for (const [each, name] of tries) {
          const { status, code, text } = await perform(olive, each, name);
          assert.deepEqual([status, code], [409, 'case_state'], `${name}: ${text}`);
        }
      };
      await refuseAll([id, 'undo_purge'], [working.id, 'purge'], [working.id, 'undo_purge']);
      await perform(ivan, id, 'purge');
      await refuseAll([id, 'purge']);
    });

    test('a purge never comes later than the date that the case has, and a new date takes its place', async () => {
      const now = Date.now();
      const soon = now + 3 * HOUR_MS;
      const near = await insertDeclined({ purge_at: soon });
      assert.equal(Date.parse((await perform(ivan, near.id, 'purge')).facts?.purge_at ?? ''), soon);
      const delivered = { state: 'delivered', delivered_at: now, keep_days: 30 } as const;
      const kept = await insertDeclined({ ...delivered, purge_at: now + 30 * DAY_MS });
      await perform(ivan, kept.id, 'purge');
      const changed = await updateKeepDaysById(office.services, kept.id, 90);
      const { purge_at, purge_by, kept_until } = changed;
      assert.deepEqual([purge_at, purge_by, kept_until], [now + 90 * DAY_MS, null, null]);
      assert.equal((await perform(ivan, kept.id, 'undo_purge')).status, 409);
    });

    test('a restore puts the previous date back', async () => {
      const { id } = await insertDeclined();
      const before = (await findCase(records, id, Date.now()))?.purge_at;
      await perform(ivan, id, 'purge');
      await undoWaitingPurges(records);
      const restored = await findCase(records, id, Date.now());
      assert.deepEqual([restored?.purge_at, restored?.kept_until, restored?.purge_by], [before, null, null]);
    });

    test('what a buyer deletes leaves no entry, even if the desk had asked before', async () => {
      const { id } = await insertDeclined();
      await perform(ivan, id, 'purge');
      const before = (await listPurges()).length;
      await purgeCaseNow(office.services, id);
      assert.equal((await listPurges()).length, before);
    });

    test('of an undo and the sweep of another instance at once, one wins: what was undone stays', async (t) => {
      const other = await openTestStore(t, database);
      let undone = 0;
      // Runs the purges that other tests have requested.
      await sweepAt(Date.now() + 2 * DAY_MS);
      for (let race = 0; race < RACES; race += 1) {
        const { id } = await insertDeclined();
        await perform(ivan, id, 'purge');
        const at = (await findCase(records, id, 0))?.purge_at ?? 0;
        const before = (await listPurges()).length;
        // The clock of the other instance is a little ahead.
        const undo = async () => {
          // A little later in each race, so that each side comes first at some time.
          for (let turn = 0; turn < race; turn += 1) await waitTurn();
          const services = { store: office.store, clock: { now: () => at - 1 } };
          return await undoPurge(services, id, ivan.session.holder).then(
            () => true,
            (error: unknown) => {
              assert.equal(readErrorCode(error), 'case_unknown');
              return false;
            },
          );
        };
        const [isUndone] = await Promise.all([undo(), sweepAt(at, other)]);
        const isThere = (await findCase(records, id, at - 1)) !== undefined;
        assert.equal(isThere, isUndone);
        assert.equal((await listPurges()).length, before + (isThere ? 0 : 1));
        if (isThere) undone += 1;
      }
      t.diagnostic(`${undone} of ${RACES} were undone`);
      assert.equal((await checkAuditChain(records, null)).fault, null);
    });
  });
