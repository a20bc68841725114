/** The promises that must hold whatever has happened, each with its check. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toIsoTime, toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import { checkAuditChain } from '#test/store/audit-check.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import {
  getShownState,
  isOnHold,
  isThere,
  listShownParts,
  mayBeForgotten,
  type Purchase,
  type SimulatedCase,
} from './model.ts';
import { type Invariant, requireStatus } from './simulation.ts';
import type { Instance, World } from './world.ts';

/** The number of commands between two checks of what they have changed. */
const LOOK_STEPS = 5;
/** Every nth check includes a case that no command concerned; every nth, the lists of the desk. */
const OTHER_TURNS = 3;
const DESK_TURNS = 6;

export const invariants: readonly Invariant[] = [
  {
    name: 'what was acknowledged can be read with the words until the purge, and nothing of it after',
    when: 'always',
    check: async (world) => {
      const { model, instances, steps, touched } = world;
      if (steps % LOOK_STEPS > 0) return;
      const turn = steps / LOOK_STEPS;
      // Each choice has its own period, so that all combinations occur.
      const instance = instances[Math.floor(turn / DESK_TURNS) % instances.length]!;
      // Checks changed cases as their buyer or agent sees them, and the others in turn.
      const other = model.cases[Math.floor(turn / OTHER_TURNS) % Math.max(model.cases.length, 1)];
      if (other && turn % OTHER_TURNS === 0) touched.add(other);
      for (const one of touched) {
        await (one.agent && turn % 2 === 0 ? checkWithToken : checkWithWords)(world, instance, one);
        world.changed.add(one);
      }
      touched.clear();
      if (turn % DESK_TURNS === 0) await checkDesk(world, instance);
    },
  },
  {
    name: 'a power cut takes nothing that was acknowledged, and brings nothing back',
    when: 'always',
    check: async (world) => {
      if (!world.isDiskLookDue) return;
      world.isDiskLookDue = false;
      await checkCases(world, new Set([...world.changed, ...world.touched]));
      world.changed.clear();
    },
  },
  {
    name: 'every case is as it should be, for its buyer, its agent and the desk',
    when: 'now and then',
    check: async (world) => {
      const cases = world.model.cases.filter((one) => !world.seenGone.has(one));
      await checkCases(world, cases);
      for (const one of cases) if (one.isErased) world.seenGone.add(one);
      world.changed.clear();
    },
  },
  {
    name: 'a payment is open, redeemed or refunded, and redeemed once',
    when: 'now and then',
    check: checkMoney,
  },
  {
    name: 'no byte of a purged case, and no plain text, is in any file, log line or letter',
    when: 'always',
    check: async (world) => {
      if (world.isSearchDue) searchFiles(world);
      world.isSearchDue = false;
    },
  },
  {
    name: 'a token that was given back opens nothing',
    when: 'now and then',
    check: async (world) => {
      for (const { revoked } of world.model.agents)
        for (const value of revoked.slice(-2)) {
          const headers = { authorization: `Bearer ${value}` };
          requireStatus(await world.send(world.instances[0]!, '/api/orders', { headers }), 401);
        }
    },
  },
  {
    name: 'each letter comes once',
    when: 'always',
    check: async ({ letters, faults }) => {
      const ids = letters.map(({ id }) => id);
      if (!faults.hasCrashed) assert.equal(new Set(ids).size, ids.length, 'a letter came twice');
    },
  },
  {
    name: 'the chain of the audit log holds',
    when: 'now and then',
    check: async ({ instances }) => {
      const { fault } = await checkAuditChain(instances[0]!.store.records, null);
      assert.equal(fault, null);
    },
  },
  {
    name: 'nothing is logged as an error unless something went wrong outside',
    when: 'now and then',
    check: async (world) => {
      for (const instance of world.instances) {
        const log = instance.readLog();
        for (const line of log.slice(instance.readLogLength).split('\n').filter(Boolean)) {
          const { level, ...event } = JSON.parse(line) as { level: number; event: string };
          if (level >= 50) assert.ok(world.hasTrouble, `logged as an error: ${JSON.stringify(event)}`);
        }
        instance.readLogLength = log.length;
      }
    },
  },
];

async function checkCases(world: World, cases: Iterable<SimulatedCase>): Promise<void> {
  // Alternates between instances, because they share the store.
  const instance = world.instances[world.wholeLooks++ % world.instances.length]!;
  for (const one of cases) {
    await checkWithWords(world, instance, one);
    await checkWithToken(world, instance, one);
  }
  await checkDesk(world, instance);
}

/** Checks every sealed byte of a case, as the script of the case page gets it. */
async function checkWithWords(world: World, instance: Instance, one: SimulatedCase): Promise<void> {
  const now = world.now();
  const place = `case ${one.number}`;
  const opened = await world.send(instance, SEALED_CASE_PATHS.open, {
    method: 'POST',
    headers: { ...sameOriginHeaders, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ lookup_token: one.lookupToken }),
  });
  if (!isThere(one, now)) {
    assert.ok([404, 410].includes(opened.status), `${place} is past its date, but opens: ${opened.status}`);
    return;
  }
  requireStatus(opened, 200);
  if (one.words !== null) return;
  const shown = listShownParts(one, now);
  const objects = opened.json['objects'] as { kind: string; seq: number; size: number; sealed?: string }[];
  const expected = shown.map(({ kind, seq, bytes }) => `${kind} ${seq} ${bytes.length}`);
  assert.deepEqual(
    objects.map(({ kind, seq, size }) => `${kind} ${seq} ${size}`).toSorted(),
    expected.toSorted(),
    `the parts of ${place}`,
  );
  for (const { kind, seq, bytes } of shown) {
    const sealed = objects.find((each) => each.kind === kind && each.seq === seq)?.sealed;
    if (sealed !== undefined)
      assert.ok(Buffer.from(sealed, 'base64url').equals(bytes), `${kind} ${seq} of ${place} is another`);
  }
  const key = opened.json['case_key'] as string;
  assert.ok(Buffer.from(key, 'base64url').equals(one.caseKey), `the key of ${place} is another`);
}

/** Checks a case as the agent that owns it sees it. */
async function checkWithToken(world: World, instance: Instance, one: SimulatedCase): Promise<void> {
  if (one.agent === null) return;
  const now = world.now();
  const owned = await world.sendAsAgent(instance, one.agent, `/cases/${one.id}`);
  requireStatus(owned, isThere(one, now) ? 200 : 404);
  if (!isThere(one, now)) return;
  const { state, keep_days: keepDays, purge_at: purgeAt, tier } = owned.json;
  assert.deepEqual(
    { state, keepDays, purgeAt, tier },
    {
      state: getShownState(one, now),
      keepDays: one.keepDays,
      purgeAt: isOnHold(one, now) ? null : toIsoTimeOrNull(one.purgeAt),
      tier: one.tier,
    },
    `case ${one.number} as its agent sees it`,
  );
}

/** Checks that the desk lists exactly the existing cases. */
async function checkDesk(world: World, instance: Instance): Promise<void> {
  // A case whose answer can be taken back is in both views.
  const views = [await listDeskCases(world, instance, 'open'), await listDeskCases(world, instance, 'ended')];
  const listed = [...new Map(views.flat().map((one) => [one.id, one])).values()];
  const now = world.now();
  const there = world.model.cases.filter((one) => isThere(one, now));
  assert.deepEqual(sortById(listed), sortById(there.map((one) => describeDeskCase(one, now))));
}

type ListedCase = Pick<DeskCase, 'id' | 'state' | 'purge_at' | 'held_until'>;

async function listDeskCases(world: World, instance: Instance, view: string): Promise<ListedCase[]> {
  const answer = await world.sendAsDesk(instance, `/cases?limit=200&view=${view}`);
  requireStatus(answer, 200);
  const cases = answer.json['cases'] as DeskCase[];
  return cases.map(({ id, state, purge_at, held_until }) => ({ id, state, purge_at, held_until }));
}

function describeDeskCase(one: SimulatedCase, now: number): ListedCase {
  return {
    id: one.id,
    state: one.state,
    purge_at: toIsoTimeOrNull(one.purgeAt),
    held_until: isOnHold(one, now) && one.releasedAt !== null ? toIsoTime(one.releasedAt) : null,
  };
}

function sortById(cases: readonly ListedCase[]): ListedCase[] {
  return cases.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function checkMoney(world: World): Promise<void> {
  const [instance] = world.instances;
  for (const agent of world.model.agents) {
    const { json } = await world.sendAsAgent(instance!, agent, '/orders?limit=100');
    const orders = new Map(
      (json['orders'] as { id: string; status: string }[]).map((each) => [each.id, each]),
    );
    for (const purchase of world.model.purchases.filter((each) => each.agent === agent)) {
      const status = orders.get(purchase.orderId ?? '')?.status;
      if (mayBeForgotten(purchase, world.now())) continue;
      const allowed = listStatuses(purchase);
      assert.ok(
        allowed.includes(status),
        `purchase ${purchase.number} is ${purchase.truth}, listed as ${status}`,
      );
    }
  }
  // Purchases on the site are in no agent's list, so their orders are counted in the records.
  const { records } = instance!.store;
  const query = records.selectFrom('orders').select(({ fn }) => fn.countAll<number | string>().as('count'));
  const { count } = await query.where('redeemed', '=', 1).executeTakeFirstOrThrow();
  const used = world.model.purchases.filter(({ opened }) => opened !== null);
  assert.equal(Number(count), used.length, 'redeemed orders');
  assert.equal(new Set(used.map(({ opened }) => opened)).size, used.length, 'one case for each payment');
}

/** Returns the statuses that an order may have: the office knows what was reported to it, but maybe not the latest. */
function listStatuses({ truth, told, opened, isHeld, dispute }: Purchase): readonly (string | undefined)[] {
  const names = {
    open: ['pending', 'expired', undefined],
    processing: ['pending'],
    paid: [opened ? 'redeemed' : isHeld ? 'held' : 'paid'],
    failed: ['expired', undefined],
    expired: ['expired', undefined],
    refunded: ['refunded'],
    disputed: ['held'],
    'disputed before': ['held', opened ? 'redeemed' : 'paid'],
  } as const;
  if (isHeld) return [...names[truth], ...names[told], 'held'];
  if (truth === told) return names[truth];
  // A refused inquiry may have revealed a dispute that has ended since: the office asks again with the next inquiry.
  const known = [...names[truth], ...names[told], ...(dispute === null ? [] : names.disputed)];
  if (truth === 'open' || truth === 'expired' || truth === 'failed') return known;
  // The office polls until it knows of the payment, and may have seen any state before.
  return [...known, ...names.paid];
}

/** Searches files for what was purged since the last search; in a full check, for everything purged. */
function searchFiles(world: World): void {
  const { cases, uploads } = world.model;
  const all = [
    ...cases
      .filter(({ isErased }) => isErased)
      .flatMap(({ parts, number }) => parts.map((part) => ({ part, of: `of case ${number}` }))),
    ...uploads.filter(({ isGone }) => isGone).map(({ part }) => ({ part, of: 'of no case' })),
  ];
  const gone = all.filter(({ part }) => !world.searched.has(part));
  for (const { part } of gone) world.searched.add(part);
  const texts = [
    ...world.letters.map(({ text }) => text),
    ...world.instances.map(({ readLog }) => readLog()),
  ];
  for (const canary of world.canaries)
    for (const text of texts) assert.ok(!text.includes(canary), 'plain text in a letter or in the log');
  for (const path of listFiles(world.dataDir)) {
    const bytes = readFileSync(path);
    for (const canary of world.canaries) assert.ok(!bytes.includes(canary), `plain text in ${path}`);
    for (const {
      part: { kind, marker },
      of,
    } of gone)
      assert.ok(!bytes.includes(marker), `a purged ${kind} ${of} is still in ${path}`);
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(tls|keys)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
