/** Cases of an investigator who has left: listed as unassigned, and any colleague may take them over. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import type { DeskActResult, DeskQueue } from '#wire/desk-cases.ts';
import { buildDeskApp, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const LEFT = 'L'.repeat(43);

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp)))
  test(`an investigator who has left has no case any more, on ${engine}`, async (t) => {
    const people = { ana: 'owner', ben: 'investigator' } as const;
    const office = await buildDeskApp(t, people, { env });
    const ana = await signInAtDesk(office, office.keys.ana);
    const ben = await signInAtDesk(office, office.keys.ben);
    const atWork = { state: 'in_progress', due_at: Date.now() + 60_000 } as const;
    const left = await insertPlantedCase(office, { ...atWork, assignee: LEFT });
    const held = await insertPlantedCase(office, { ...atWork, assignee: ana.session.holder });
    const free = await insertPlantedCase(office, { due_at: Date.now() + 120_000 });
    const readQueue = async (view: string) =>
      (await ben.send(`/cases?view=${view}`)).json as unknown as DeskQueue;
    const applyAct = async (id: string, name: string) =>
      await ben.send(`/cases/${id}/acts`, { method: 'POST', body: { act: name } });

    const unassigned = await readQueue('unassigned');
    assert.deepEqual(
      unassigned.cases.map(({ id }) => id),
      [left.id, free.id],
    );
    assert.equal(unassigned.counts.unassigned, 2);
    const { cases } = await readQueue('open');
    const acts = new Map(cases.map((each) => [each.id, each.acts]));
    assert.equal(cases.find(({ id }) => id === left.id)?.holder, LEFT, 'the queue says whose it was');
    for (const name of ['take', 'message', 'deliver'] as const)
      assert.deepEqual(
        [left, held].map(({ id }) => acts.get(id)?.includes(name)),
        [true, false],
        name,
      );
    assert.deepEqual(
      [left, held].map(({ id }) => acts.get(id)?.includes('take_over')),
      [false, true],
    );
    const refused = await applyAct(held.id, 'take');
    assert.deepEqual([refused.status, refused.json['code']], [409, 'case_held']);
    const taken = (await applyAct(left.id, 'take')).json as unknown as DeskActResult;
    assert.equal(taken.case?.holder, ben.session.holder);
    assert.deepEqual(
      [(await readQueue('unassigned')).counts.unassigned, (await readQueue('mine')).counts.mine],
      [1, 1],
    );
  });
