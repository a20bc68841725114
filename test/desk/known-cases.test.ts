/** What a run of the desk retains of cases: text and keys of the last ones, hashes of all it opened, and no more. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import { OfficeWatch } from '#desk/model/office-watch.ts';
import { MAX_OPENED_CASES } from '#desk/model/opened-cases.ts';
import { readOfficeCase } from '#desk/office/case-reader.ts';
import { writeCaseNote } from '#desk/office/case-writer.ts';
import { closeKnownCase, type KnownCases, MAX_LISTED_CASES, rememberCase } from '#desk/office/known-case.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { generateId } from '#platform/text/ids.ts';
import { assertFault } from './hostile-script.ts';
import { startScriptedOffice } from './scripted-office.ts';
import { createDeskCase, sealBuyerMessage } from './sealed-fixture.ts';

test('a case that is closed leaves hashes behind, which still tell a change', async (t) => {
  const office = await startScriptedOffice(t);
  const { fixture, key, origin, people } = office;
  const { id } = fixture.facts;
  const desk = await office.connectConfirmed();
  const { signer } = desk;
  const cases: KnownCases = new Map();
  const parts = { signer, key, cases, origin, holder: people[0]!.holder };
  fixture.parts.push(await sealBuyerMessage(fixture.key, 0, 'Her brother. CANARY-ANSWER'));
  await writeCaseNote(parts, id, 'Ask the registry. CANARY-NOTE');
  await readOfficeCase(parts, id);
  assert.ok(cases.get(id)?.key);
  closeKnownCase(cases, id);
  const { key: caseKey, opened, marks } = cases.get(id)!;
  assert.deepEqual([caseKey, opened.size], [null, 0]);
  assert.ok(marks.size >= 3);
  assert.doesNotMatch(JSON.stringify([...marks]), /CANARY/);
  assert.equal((await readOfficeCase(parts, id)).opened.content.messages.length, 1);
  closeKnownCase(cases, id);
  fixture.parts.splice(2, 1, await sealBuyerMessage(fixture.key, 0, 'Her sister.'));
  await assertFault(readOfficeCase(parts, id), 'altered', /is not the same as when/);
});

test('an office that invents cases fills no memory, and drives no opened case out of it', () => {
  const facts = createDeskCase({});
  const cases: KnownCases = new Map();
  rememberCase(cases, facts).marks.set('inquiry.v1 0', 'hash');
  for (let count = 0; count < MAX_LISTED_CASES + 10; count += 1)
    rememberCase(cases, { ...facts, id: generateId() });
  assert.equal(cases.size, MAX_LISTED_CASES);
  assert.throws(() => rememberCase(cases, { ...facts, tier: 'Trace' }), { code: 'altered' });
});

test('what the watch remembers has an end, too', async () => {
  const facts = createDeskCase({});
  const until = new Date(Date.now() + 600_000).toISOString();
  const createEntry = (): DeskQueueEntry => ({
    ...facts,
    id: generateId(),
    held_until: until,
    acts: ['take_back'],
    news: 'answer',
  });
  const counts = { open: 1, mine: 0, unanswered: 0, late: 0, unassigned: 0 };
  const now = new Date().toISOString();
  const watch = new OfficeWatch({
    readQueue: () =>
      Promise.resolve({ cases: Array.from({ length: 200 }, createEntry), next: null, counts, now }),
  });
  for (let polls = 0; polls < 20; polls += 1) await watch.readQueue({});
  assert.ok(watch.listOnHold().length <= 1_000, `${watch.listOnHold().length} are held`);
});

test('the case that was not looked at for longest is closed at the office, too', async (t) => {
  const scripted = await startScriptedOffice(t);
  const { id } = scripted.fixture.facts;
  const closed: string[] = [];
  const office = Object.assign(await scripted.connect(), { closeCase: (each: string) => closed.push(each) });
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null });
  const { opened } = await desk.openCase(id);
  for (let count = 0; count < MAX_OPENED_CASES; count += 1)
    desk.opened.record({ ...opened, facts: { ...opened.facts, id: generateId() } }, null, false);
  assert.deepEqual([closed, desk.opened.get(id)], [[id], undefined]);
});
