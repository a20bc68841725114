/** The states of a case: in any order of actions, only the transition table decides, and the times follow from it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createPurger } from '#cases/ending/purge.ts';
import { computePurgeTime, DEFAULT_KEEP_DAYS, type KeepDays } from '#cases/ending/retention.ts';
import {
  applyCallAction,
  applyCaseAction,
  type CallAction,
  type CaseAction,
  callTransitions,
  caseTransitions,
  OPEN_STATES,
  requireCase,
  updateKeepDays,
  updatePurgeTime,
} from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { CaseActor } from '#seal/case/message.ts';
import type { Case } from '#store/cases/cases.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import { openTestStore, silentLog, sqliteUnderTest } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { seedCase } from './seeded-case.ts';

type Try =
  | { readonly act: CaseAction; readonly by: CaseActor }
  | { readonly call: CallAction; readonly by: CaseActor }
  | { readonly keep: KeepDays }
  | { readonly end: true }
  | { readonly wait: number };

const by = fc.constantFrom<CaseActor>('buyer', 'desk');
const act = fc.constantFrom(...(Object.keys(caseTransitions) as CaseAction[]));
const call = fc.constantFrom(...(Object.keys(callTransitions) as CallAction[]));
const tries: fc.Arbitrary<Try> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act, by }) },
  { weight: 2, arbitrary: fc.record({ call, by }) },
  { weight: 2, arbitrary: fc.record({ keep: fc.constantFrom(...KEEP_DAYS) }) },
  { weight: 1, arbitrary: fc.constant({ end: true as const }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.integer({ min: 0, max: 40 * DAY_MS }) }) },
);

const lifetimes = { declined: 7 * DAY_MS, withdrawn: DAY_MS } as const;

test('every state but the first can be reached, and every state without a time limit can be left', () => {
  const steps: readonly { from: readonly string[]; to: string }[] = Object.values(caseTransitions);
  const reached = new Set(['received', ...steps.map(({ to }) => to)]);
  assert.ok(CASE_STATES.every((state) => reached.has(state)));
  const open = CASE_STATES.filter((state) => computePurgeTime(state, 0, DEFAULT_KEEP_DAYS) === null);
  assert.deepEqual(open, OPEN_STATES);
  for (const state of open) assert.ok(steps.some(({ from }) => from.includes(state)));
});

test('random walks keep every invariant, and nothing of a purged case is left', async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  let now = Date.UTC(2027, 0, 1);
  const services = {
    ...createTrustedClock({ now: () => now }),
    keyring: createKeyring(generateMasterKey()),
    store,
    sealingKeys: new Promise<never>(() => {}),
  };
  const purger = createPurger(services, silentLog);

  const property = fc.asyncProperty(
    fc.constantFrom('Trace', 'Dossier'),
    fc.array(tries, { minLength: 1, maxLength: 25 }),
    async (tier, walk) => {
      const fresh = {
        state: 'received',
        delivered_at: null,
        purge_at: null,
        tier,
        submitted_at: now,
      } as const;
      const { record } = await seedCase(store, { ...fresh, due_at: now + 2 * DAY_MS });
      let ended = false;
      for (const attempt of walk) {
        if ('wait' in attempt) now += attempt.wait;
        await purger.run();
        const before = await requireCase(store.records, record.id, now).catch(() => null);
        if (!before) {
          await assertNothingLeft(store, record);
          return;
        }
        const after = await attemptAction(before, attempt);
        ended ||= 'end' in attempt && after !== null;
        assertSound(after ?? before, record, ended);
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });

  async function attemptAction(before: Case, attempt: Try): Promise<Case | null> {
    try {
      return await store.transaction(async (records) => {
        if ('act' in attempt)
          return await applyCaseAction(records, before, attempt.act, { by: attempt.by, now });
        if ('call' in attempt)
          return await applyCallAction(records, before, attempt.call, { by: attempt.by, now });
        if ('keep' in attempt) return await updateKeepDays(records, before, attempt.keep, now);
        return 'end' in attempt ? await updatePurgeTime(records, before, now, now) : before;
      });
    } catch (error) {
      assert.ok(error instanceof ServiceError && error.code === 'case_state', String(error));
      if ('act' in attempt) {
        const step: { by: readonly string[]; from: readonly string[] } = caseTransitions[attempt.act];
        const isAllowed = step.by.includes(attempt.by) && step.from.includes(before.state);
        assert.ok(!isAllowed, 'the table would have allowed it');
      }
      return null;
    }
  }
});

function assertSound(found: Case, planted: Case, ended: boolean): void {
  const { state, delivered_at: deliveredAt, purge_at: purgeAt } = found;
  assert.equal(found.due_at, planted.due_at, 'the clock never stops or moves');
  assert.equal(deliveredAt !== null, state === 'delivered');
  assert.equal(purgeAt !== null, ['delivered', 'declined', 'withdrawn'].includes(state));
  assert.ok(state !== 'received' || found.taken_at === null);
  if (state === 'in_progress' || state === 'awaiting_client')
    assert.ok((found.taken_at ?? 0) >= planted.submitted_at, 'the buyer is told since when');
  if (found.tier !== 'Dossier') assert.equal(found.call, 'none');
  if (ended || purgeAt === null) return;
  if (state === 'delivered') assert.equal(purgeAt - (deliveredAt ?? 0), found.keep_days * DAY_MS);
  else assert.ok(purgeAt >= planted.submitted_at + lifetimes[state as 'declined']);
}

async function assertNothingLeft(
  { records, shredKeys }: Awaited<ReturnType<typeof openTestStore>>,
  record: Case,
): Promise<void> {
  const { id } = record;
  assert.deepEqual(await records.selectFrom('cases').select('id').where('id', '=', id).execute(), []);
  assert.deepEqual(await records.selectFrom('objects').select('id').where('case_id', '=', id).execute(), []);
  assert.equal(await shredKeys.read(record), null);
}
