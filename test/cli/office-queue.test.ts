/** The queue and the cases of an office with two people: what is chosen, who has what, and who is notified. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test, { suite } from 'node:test';
import { openUnsent, readDraft, saveDraft, saveUnsent } from '#desk/keys/draft-file.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { connectConfirmedDesk } from '#test/desk/connected-desk.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { buildDistantOffice } from './distant-office.ts';

interface ListedJson {
  readonly cases: readonly { readonly id: string; readonly changed_at: string }[];
}

suite('an office of two', () => {
  test('the list has what the options choose, by its due time', async (t) => {
    const office = await buildDistantOffice(t, { DELIVERY_UNDO_MINUTES: '10' });
    const now = Date.now();
    const ana = computeInvestigatorId(office.keys.ana.recipient);
    const ended = { state: 'declined', purge_at: now + 99 * HOUR_MS } as const;
    const held = { state: 'delivered', state_on_hold: 'in_progress', released_at: now + HOUR_MS } as const;
    const facts = [
      { due_at: now - HOUR_MS, assignee: ana, state: 'in_progress' },
      { ...held, due_at: now + HOUR_MS, delivered_at: now, purge_at: now + 99 * HOUR_MS },
      { ...ended, due_at: now + 2 * HOUR_MS, assignee: ana },
      { due_at: now + 3 * HOUR_MS, tier: 'Dossier', awaiting_reply_since: now },
      { due_at: now + 50 * HOUR_MS },
    ] as const;
    const [late, undoable, declined, answered, fresh] = await Array.fromAsync(
      facts,
      async (changes) => (await insertPlantedCase(office, changes)).id,
    );
    const choices: [choice: string[], found: unknown[]][] = [
      [[], [late, undoable, answered, fresh]],
      [
        ['--state', 'all', '--limit', '3'],
        [late, undoable, declined],
      ],
      [
        ['--mine', '--state', 'declined', '--state', 'in_progress'],
        [late, declined],
      ],
      [['--unanswered', '--tier', 'dossier', '--new'], [answered]],
      [['--late'], [late]],
      [['--unassigned'], [answered, fresh]],
    ];
    for (const [choice, found] of choices) {
      const { cases, counts } = await office.readJsonAs<ListedJson & { counts: unknown }>(
        'ana',
        'cases',
        'list',
        ...choice,
      );
      assert.deepEqual(
        cases.map(({ id }) => id),
        found,
        choice.join(' '),
      );
      assert.deepEqual(counts, { open: 4, mine: 1, unanswered: 1, late: 1, unassigned: 2 });
    }
  });

  test('a case that has ended is purged by two people', async (t) => {
    const office = await buildDistantOffice(t, { DELIVERY_UNDO_MINUTES: '10' });
    const { id } = await insertPlantedCase(office, { id: generateTypeableId(), tier: 'Dossier' });
    const first = id.slice(0, 6);
    const run = async (name: 'ana' | 'ben', ...args: string[]) => {
      const { code, stdout, stderr } = await office.runAs(name, ...args);
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
      return stdout;
    };
    const declined = await run('ana', 'cases', 'decline', first, '--text', 'We cannot help.');
    assert.match(declined, /The buyer cannot see it before .* UTC\. To take it back before then/);
    assert.equal((await office.runAs('ana', 'cases', 'purge', first, '--yes')).code, 1, 'still on hold');
    await office.store.records
      .updateTable('cases')
      .set({ released_at: 1 })
      .where('state', '=', 'declined')
      .execute();
    const key = { identity: office.keys.ana.identity, path: `${office.keyFiles.ana}.pins` };
    const other = generateTypeableId();
    for (const each of [id, other]) {
      await saveDraft(key, each, { text: 'Half a finding' });
      const { recipient } = office.keys.ana;
      const fields = { text: 'Posted to a locked desk' };
      await saveUnsent({ path: key.path, recipient }, { caseId: each, fields });
    }
    const asked = await run('ben', 'cases', 'purge', first, '--yes');
    assert.match(
      asked,
      /^Requested\. The case will be purged at .* UTC\. To cancel this before then: office cases purge .* --undo\n$/,
    );
    await connectConfirmedDesk(t, office, office.keys.ana, office.folder);
    assert.match(
      await run('ana', 'cases', 'show', first, '--pins', join(office.folder, 'desk.key.pins')),
      /Purged on +.*, requested by ben; cases purge --undo/,
    );
    assert.match(
      await run('ana', 'cases', 'purge', first, '--undo'),
      /^Undone\. State of the case: declined; will be purged on/,
    );
    assert.match(await run('ben', 'cases', 'purge', first, '--yes'), /^Requested\./);
    assert.equal((await office.runAs('ben', 'cases', 'purge', first, '--yes')).code, 1, 'asked already');
    assert.equal(await run('ana', 'cases', 'purge', first, '--yes'), 'Purged.\n');
    assert.equal((await readdir(`${office.keyFiles.ana}.drafts`)).length, 2);
    assert.equal(await readDraft(key, id), null, 'of a purged case nothing typed stays');
    assert.deepEqual(
      (await openUnsent(key)).map(({ caseId }) => caseId),
      [other],
    );
    const gone = await office.runAs('ana', 'cases', 'show', first);
    assert.deepEqual([gone.code, gone.stderr], [1, 'There is no such case; it may have been purged.\n']);
  });
});

/** Does not begin with a dash, because commands would not accept the beginning of such an id alone. */
function generateTypeableId(): string {
  return `A${generateId().slice(1)}`;
}
