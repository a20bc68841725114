/** In every state of a case, the service permits exactly the acts that it lists for the desk. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Transaction } from 'kysely';
import { deliverSealedFinding, takeBackAnswer } from '#cases/delivery.ts';
import { handOverCase, reassignCase, takeCase, unassignCase } from '#cases/desk/assignment.ts';
import { applyCallStep, listDeskActs } from '#cases/desk/desk-acts.ts';
import { requestPurge, undoPurge } from '#cases/ending/purge.ts';
import { addCaseMessage, type SealedMessage } from '#cases/messages/messages.ts';
import { applyCaseChange, updatePurgeTime } from '#cases/states.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import type { Case } from '#store/cases/cases.ts';
import type { Tables } from '#store/schema/tables.ts';
import type { Store } from '#store/store.ts';
import { openTestStore, sqliteUnderTest } from '#test/store/engines.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import type { DeskAct } from '#wire/desk-cases.ts';
import { seedCase } from './seeded-case.ts';

const NOW = Date.UTC(2027, 0, 1);
const [ANNA, BEN] = ['A'.repeat(43), 'B'.repeat(43)];
const key = await generateCaseKey(await deriveWordKeys(generateWords()));
const sealed = await sealEnvelope(key, { kind: 'desk-message.v1', seq: 0 }, { text: 'x', call_windows: [] });

/** Yields all combinations of what decides about acts; one of the tiers includes a call. */
function* listSettings(): Generator<Partial<Case>> {
  const ended = { delivered_at: NOW, purge_at: NOW + HOUR_MS, state_on_hold: null, released_at: null };
  const open = { ...ended, delivered_at: null, purge_at: null };
  const held = { ...ended, state: 'delivered', state_on_hold: 'in_progress', released_at: NOW + 1 } as const;
  const states: Partial<Case>[] = CASE_STATES.map((state, index) => ({
    state,
    ...(index < 3 ? open : ended),
  }));
  const calls: Partial<Case>[] = [
    { tier: 'Trace', call: 'none' },
    { tier: 'Dossier', call: 'none' },
    { tier: 'Dossier', call: 'booked' },
    { tier: 'Dossier', call: 'held' },
  ];
  const asked = { ...ended, state: 'declined', kept_until: NOW + HOUR_MS, purge_by: BEN } as const;
  for (const state of [...states, asked, held, { ...held, finding_seq: 9 }])
    for (const call of calls)
      for (const assignee of [null, ANNA, BEN])
        yield { finding_seq: 0, kept_until: null, ...state, ...call, assignee };
}

test('an act is listed if and only if it is possible', async (t) => {
  const opened = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  const { record } = await seedCase(opened, {}, 24);
  // Uses one transaction for speed; refused acts are undone explicitly.
  await opened.transaction((records) => tryEveryAct(records, opened, record));
});

async function tryEveryAct(transaction: Transaction<Tables>, opened: Store, record: Case): Promise<void> {
  const store: Store = { ...opened, records: transaction, transaction: (work) => work(transaction) };
  const services = { clock: { now: () => NOW }, store };
  const { id } = record;
  const write = async (message: Partial<SealedMessage>, investigator: string) =>
    await addCaseMessage(services, id, { by: 'desk', seq: 0, sealed, investigator, ...message });
  type Attempt = (by: string, current: Case) => Promise<unknown>;
  const acts: Readonly<Record<Exclude<DeskAct, 'note'>, Attempt>> = {
    take: (by) => takeCase(services, id, by),
    take_over: (by) => reassignCase(services, id, by),
    let_go: (by) => unassignCase(services, id, by),
    ask: (by) => write({ act: 'ask' }, by),
    message: (by) => write({}, by),
    offer_call: (by) => applyCallStep(services, id, 'offer', by),
    book_call: (by) => write({ callAct: 'book' }, by),
    hold_call: (by) => applyCallStep(services, id, 'hold', by),
    deliver: (investigator, { finding_seq: seq }) => {
      const finding = { finding: sealed, files: [], uploader: 'x', seq, investigator };
      return deliverSealedFinding(services, id, finding);
    },
    take_back: () => takeBackAnswer(services, id),
    hand_over: (by) => handOverCase(services, id, by, 'colleague'),
    decline: (by) => write({ act: 'decline' }, by),
    retain: (by) => write({ retain: 90 }, by),
    purge: (by) => requestPurge(services, id, by),
    purge_now: () =>
      applyCaseChange(services, id, (records, each) => updatePurgeTime(records, each, NOW, NOW)),
    undo_purge: (by) => undoPurge(services, id, by),
  };
  let tried = 0;
  for (const setting of listSettings()) {
    const current: Case = { ...record, ...setting };
    const viewer = { investigator: ANNA, isOwner: true, hasLeft: () => false };
    const listed = listDeskActs(current, viewer, NOW);
    for (const [act, attempt] of Object.entries(acts) as [keyof typeof acts, Attempt][]) {
      await store.records.deleteFrom('object_pieces').execute();
      await store.records.deleteFrom('objects').execute();
      await store.records.updateTable('cases').set(current).execute();
      const code = await attempt(ANNA, current).then(
        () => 'done',
        (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
      );
      assert.match(code, /^(done|case_state|case_held)$/);
      // A repeated act is not an error, but is not listed either.
      const isRepeated =
        (act === 'let_go' && current.assignee === null) ||
        (act === 'take_over' && current.assignee !== BEN) ||
        (act === 'take' && current.state === 'in_progress' && current.assignee === ANNA);
      if (!isRepeated)
        assert.equal(listed.includes(act), code === 'done', `${act}: ${code} in ${JSON.stringify(setting)}`);
      tried += 1;
    }
  }
  assert.equal(tried, 9 * 4 * 3 * 16);
}
