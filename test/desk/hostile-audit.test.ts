/** An office that changes its audit log: each kind of change is reported in one sentence. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  advanceAuditHead,
  FIRST_AUDIT_HEAD,
  formatAuditHead,
  hashAuditEntry,
} from '#seal/core/audit-chain.ts';
import { answerAt, assertFault, assertNothingTold } from './hostile-script.ts';
import { type ScriptedOffice, startScriptedOffice } from './scripted-office.ts';

interface Entry {
  readonly number: number;
  readonly entry_hash: string;
  readonly salt: string | null;
  readonly entry: string | null;
}

/** Creates an entry for each act, about the case of the scripted office. */
function createLog({ fixture, people }: ScriptedOffice, acts: readonly string[]): Entry[] {
  return acts.map((act, index) => {
    const salt = 's'.repeat(43);
    const entry = JSON.stringify({
      at: '2026-11-16T10:00:00Z',
      by: people[0]!.holder,
      act,
      case: fixture.facts.id,
    });
    return { number: index + 1, entry_hash: hashAuditEntry(salt, entry), salt, entry };
  });
}

function computeHead(log: readonly Entry[]) {
  return log.reduce((head, { entry_hash: hash }) => advanceAuditHead(head, hash), FIRST_AUDIT_HEAD);
}

function showLog(office: ScriptedOffice, log: readonly Entry[], head = computeHead(log)): void {
  office.script = answerAt(/^GET \/audit/, ({ path }) => {
    const after = /after=(\d+)/.exec(path)?.[1];
    const entries =
      after === undefined ? log.toReversed() : log.filter(({ number }) => number > Number(after));
    return { json: { entries, head } };
  });
}

test('a log that goes on holds, and its head is remembered beside the key', async (t) => {
  const office = await startScriptedOffice(t);
  const log = createLog(office, ['read', 'take', 'deliver']);
  showLog(office, log.slice(0, 2));
  const first = await (await office.connect()).audit.read();
  assert.deepEqual([first.fault, first.total, first.checked, first.older], [null, 2, 2, null]);
  assert.deepEqual(
    first.entries.map(({ number, said }) => [number, said?.act]),
    [
      [2, 'take'],
      [1, 'read'],
    ],
  );
  showLog(office, log);
  assert.equal((await (await office.connect()).audit.read()).fault, null);

  showLog(office, log.slice(0, 2));
  const shorter = (await (await office.connect()).audit.read()).fault;
  assert.match(
    shorter!.text,
    /shorter .* entry 3 is no longer there\. A restore from a backup can cause this/,
  );

  const other = createLog(office, ['read', 'purge', 'deliver', 'note']);
  showLog(office, other);
  const desk = await office.connect();
  for (let looks = 0; looks < 2; looks += 1) {
    const { fault, head } = await desk.audit.read();
    assert.match(fault!.text, /its entries up to 3 are different\. A restore/);
    assert.equal(head, formatAuditHead(computeHead(other)));
  }
  await assertFault(desk.audit.accept(formatAuditHead(computeHead(log))), 'refused', /changed again/);
  await assertFault(desk.audit.accept('<b>'), 'refused', /changed again/);
  await desk.audit.accept(formatAuditHead(computeHead(other)));
  assert.equal((await (await office.connect()).audit.read()).fault, null);
  assertNothingTold(office);
});

test('changed, moved, missing and emptied entries are told', async (t) => {
  const office = await startScriptedOffice(t);
  const log = createLog(office, ['read', 'take', 'note', 'deliver']);
  const [first, second, third, last] = log as [Entry, Entry, Entry, Entry];
  const head = computeHead(log);
  const unreadable = (({ number }) => {
    const entry = '<b>{"at":1}</b>';
    return { number, salt: 's', entry, entry_hash: hashAuditEntry('s', entry) };
  })(last);
  for (const [shown, text] of [
    [[first, { ...second, entry: third.entry }, third, last], /breaks at entry 2/],
    [[first, { ...second, salt: null }, third, last], /breaks at entry 2/],
    [[first, third, last], /breaks at entry 3/],
    [[first, second, third], /breaks at entry 4/],
    [[first, second, third, unreadable], /are different/],
  ] as const) {
    showLog(office, shown, head);
    const { fault } = await (await office.connect()).audit.read();
    assert.match(fault?.text ?? '', text);
  }
  const desk = await office.connect();
  showLog(office, [first, second, third, unreadable]);
  await desk.audit.read();
  const odd = (await desk.audit.read()).entries[0]!;
  assert.deepEqual([odd.said, odd.isEmptied], [null, false]);

  const fresh = await startScriptedOffice(t);
  const whole = createLog(fresh, ['read', 'take']);
  const reader = await fresh.connect();
  showLog(fresh, whole);
  assert.equal((await reader.audit.read()).fault, null);
  showLog(fresh, [{ ...whole[0]!, salt: null, entry: null }, whole[1]!]);
  for (let looks = 0; looks < 2; looks += 1) {
    const { fault } = await reader.audit.read();
    assert.match(fault!.text, /Entry 1 was emptied as if by a purge, but its case, \w+ \w+, still exists/);
    assert.equal(fault!.mayBeRestored, false);
  }
  fresh.script = answerAt(/^GET \/audit/, () => ({ json: { entries: [], head: { number: -1, hash: '' } } }));
  await assertFault(reader.audit.read(), 'hostile', /format that this version/);
});
