/** People join and leave at an office over the network: cases are re-sealed on the owner's machine alone. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { addCaseNote, listNoteObjects } from '#cases/messages/notes.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { generateId } from '#platform/text/ids.ts';
import { sealCaseNote } from '#seal/case/note.ts';
import { openRefundOrNull, sealRefund } from '#seal/case/refund.ts';
import { deriveRecipient, generateAgeIdentity, openSealedBytes } from '#seal/core/age.ts';
import { generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { findCaseToReseal } from '#store/cases/case-keys.ts';
import { listCaseObjects, readObjects } from '#store/cases/objects.ts';
import { insertRefund, listRefunds } from '#store/cases/refunds.ts';
import { storeCaseKey } from '#store/keys/shred-keys.ts';
import { canOpenStoredKey, type NewcomerLine, writeOfficeTeam } from '#test/desk-api/changed-team.ts';
import { generateDeskKey } from '#test/desk-api/desk-client.ts';
import { insertPlantedCase, type PlantedCase } from '#test/desk-api/planted-case.ts';
import { buildTestApp } from '#test/test-app.ts';
import { writeAskedSet } from './asking-owner.ts';
import { runCli } from './desk-cli.ts';
import { buildDistantOffice, type DistantOffice } from './distant-office.ts';

const reseal = ['keys', 'reseal'];

async function createTeam({ keys, folder, services }: DistantOffice) {
  const zoe = await generateDeskKey();
  const zoeFile = join(folder, 'zoe.key');
  await writeFile(zoeFile, `${zoe.identity}\n`, { mode: 0o600 });
  const ana: NewcomerLine = { name: 'ana', role: 'owner', recipient: keys.ana.recipient };
  const ben: NewcomerLine = { name: 'ben', role: 'investigator', recipient: keys.ben.recipient };
  const newcomer: NewcomerLine = { name: 'Zoë', role: 'investigator', recipient: zoe.recipient };
  const { recovery } = await services.sealingKeys;
  return {
    zoe: { ...zoe, file: zoeFile },
    ana,
    ben,
    newcomer,
    ask: (team: readonly NewcomerLine[], key = recovery) => writeAskedSet(folder, team, key),
  };
}

/** A key of the attacker's own, for the same words. */
async function swapKey({ store, services }: DistantOffice, { id, key }: PlantedCase): Promise<void> {
  const recipient = await deriveRecipient(await generateAgeIdentity());
  const forged = await generateCaseKey({ lookupHash: key.case, recipient });
  const sealed = await sealCaseKey(forged, await services.sealingKeys);
  await store.transaction(async (records) => {
    await records.deleteFrom('case_keys').where('case_id', '=', id).execute();
    const place = await storeCaseKey(store.shredKeys, records, id, sealed);
    await records.updateTable('cases').set(place).where('id', '=', id).execute();
  });
}

async function addNotes(
  { services }: DistantOffice,
  { id, key }: PlantedCase,
  texts: readonly string[],
): Promise<void> {
  const { desk } = await services.sealingKeys;
  for (const [seq, text] of texts.entries()) {
    const sealed = await sealCaseNote(key, desk, { seq, note: { text, by: 'b'.repeat(43) } });
    await addCaseNote(services, id, { seq, sealed, by: null });
  }
}

test('who comes opens older cases, who goes opens none, and a swapped key is named and left', {
  timeout: 300_000,
}, async (t) => {
  const office = await buildDistantOffice(t);
  const { keys, runAs, store } = office;
  const { zoe, ana, newcomer, ask } = await createTeam(office);
  const [noted, swapped, long] = await Array.fromAsync({ length: 3 }, () => insertPlantedCase(office));
  assert.ok(noted && swapped && long);
  await addNotes(office, noted, ['CANARY-NOTE', 'CANARY-MORE']);
  // Together, these notes do not fit in one request.
  await addNotes(office, long, Array<string>(4).fill('x'.repeat(200_000)));
  assert.equal((await runAs('ana', 'cases', 'open', swapped.id)).code, 0, 'her key is pinned');
  await swapKey(office, swapped);
  const refund = { payment_ref: 'IO-1', tier: 'Trace', declined_on: '2026-11-18' };
  for (const { recipient } of [keys.ana, zoe])
    await insertRefund(store.records, {
      id: generateId(),
      case_id: null,
      purge_at: 0,
      sealed: await sealRefund(refund, [recipient]),
    });
  await writeOfficeTeam(office, [ana, newcomer]);
  const asked = await ask([ana, newcomer]);

  const unasked = await runAs('ana', ...reseal, ...asked);
  assert.equal(unasked.code, 1, unasked.stderr);
  assert.match(unasked.stderr, /Joins: {2}Zoë, investigator, key [\d ]+\nLeaves: ben, investigator, key /);
  assert.match(
    unasked.stderr,
    /Stays: {2}ana, owner, .*\nStays: {2}recovery key .*\n3 cases will be sealed again\./,
  );
  assert.match(unasked.stderr, /Not confirmed, so nothing was changed\.\n$/);
  assert.equal(await canOpenStoredKey(office, long.id, keys.ben), true);

  const done = await runAs('ana', ...reseal, ...asked, '--yes');
  assert.equal(done.code, EXIT_CODES.dataError, done.stderr);
  assert.equal(
    done.stdout,
    `2 cases sealed again.\nLeft as it was: ${swapped.id}, its key is not the one that was pinned; see cases open\nNow restart every instance.\n`,
  );
  for (const { id } of [noted, long]) {
    assert.equal(await canOpenStoredKey(office, id, keys.ben), false);
    for (const key of [keys.ana, zoe]) assert.equal(await canOpenStoredKey(office, id, key), true);
  }
  assert.equal((await findCaseToReseal(store.records, swapped.id))?.sealed_to, null);
  const notes = listNoteObjects(await listCaseObjects(store.records, long.id));
  for (const [, sealed] of await readObjects(
    store.records,
    notes.map(({ id }) => id),
  )) {
    await openSealedBytes(sealed, zoe.identity);
    await assert.rejects(openSealedBytes(sealed, keys.ben.identity), { code: 'wrong_key' });
  }
  const refunds = await Promise.all(
    (await listRefunds(store.records, { limit: 9 })).map(
      async ({ sealed }) => await openRefundOrNull(sealed, zoe.identity),
    ),
  );
  assert.deepEqual(refunds, [refund, refund]);
  const out = await runAs('ben', 'cases', 'list');
  assert.equal(out.code, EXIT_CODES.noPermission, 'an investigator who has left is out before the restart');

  const again = await runAs('ana', ...reseal, ...asked, '--json');
  assert.equal(again.code, EXIT_CODES.dataError, again.stderr);
  const report = JSON.parse(again.stdout) as Record<'resealed' | 'left' | 'left_refunds', unknown>;
  assert.deepEqual(
    [report.resealed, report.left, report.left_refunds],
    [0, [{ id: swapped.id, reason: 'not_pinned' }], 1],
    'nothing is asked and nothing is sealed twice',
  );
  const log = await runAs('ana', 'audit', 'list', '--case', noted.id);
  assert.match(log.stdout, /ana \(key [\d ]+\) +reseal.*ana \(key [\d ]+\) +read/s);

  const restarted = await buildTestApp(t, {
    env: { DATA_DIR: office.dataDir, DESK_RECIPIENTS_FILE: office.peopleFile, DESK_RECIPIENTS: '' },
  });
  const runThere = async (key: string, ...args: string[]) =>
    await runCli(office.env, [
      ...args,
      ...office.trust,
      '--office',
      `https://localhost:${restarted.port}`,
      '--key',
      key,
    ]);
  const opened = await runThere(zoe.file, 'cases', 'open', noted.id);
  assert.equal(opened.code, 0, opened.stderr);
  assert.match(opened.stdout, /CANARY[\s\S]*CANARY-NOTE[\s\S]*CANARY-MORE/);
  const gone = await runThere(office.keyFiles.ben, 'cases', 'list');
  assert.match(gone.stderr, /^The office does not know your key\./);
});

test('whom to seal to is said here, and the office must be configured for the same', {
  timeout: 300_000,
}, async (t) => {
  const office = await buildDistantOffice(t);
  const { keyFiles, runAs, runBeside } = office;
  const { ana, ben, newcomer, ask } = await createTeam(office);
  const planted = await insertPlantedCase(office);
  await writeOfficeTeam(office, [ana, { ...newcomer, role: 'owner' }]);
  const wished = await ask([ana, newcomer]);
  const refusals: [code: number, text: RegExp, run: Promise<{ code: number | null; stderr: string }>][] = [
    [
      EXIT_CODES.config,
      /^Another role there: Zoë, owner, key [\d ]+\nThe configuration of the office differs from \S+, so nothing was changed\. Make both the same/,
      runAs('ana', ...reseal, ...wished, '--yes'),
    ],
    [
      EXIT_CODES.config,
      /^Only here: +ben, investigator, key [\d ]+\nOnly at the office: Zoë, owner, key /,
      runAs('ana', ...reseal, ...(await ask([ana, ben])), '--yes'),
    ],
    [
      EXIT_CODES.config,
      /^Only here: +recovery key [\d ]+\nOnly at the office: recovery key [\d ]+\nAnother role/,
      runAs('ana', ...reseal, ...(await ask([ana, newcomer], (await generateDeskKey()).recipient)), '--yes'),
    ],
    [
      EXIT_CODES.config,
      /: does not list your own key as an owner's, so you would be locked out before all cases are sealed again/,
      runAs('ana', ...reseal, ...(await ask([{ ...ana, role: 'investigator' }, newcomer]))),
    ],
    [
      EXIT_CODES.config,
      /: expected NAME ROLE RECIPIENT \(line 1\)\n$/,
      runAs('ana', ...reseal, ...(await ask([{ ...ana, recipient: '' }]))),
    ],
    [
      EXIT_CODES.config,
      /: expected one public key \(age1pq1…\), that of the recovery key\n$/,
      runAs('ana', ...reseal, ...(await ask([ana], 'nothing'))),
    ],
    [
      EXIT_CODES.noPermission,
      /^Only owners may do this\./,
      runAs('ben', ...reseal, ...(await ask([{ ...ben, role: 'owner' }, ana]))),
    ],
    [EXIT_CODES.usage, /^--office needs both --recipients FILE and --recovery FILE/, runAs('ana', ...reseal)],
    [
      EXIT_CODES.usage,
      /^--recipients and --recovery require --office ADDRESS/,
      runBeside(...reseal, '--key', keyFiles.ana, ...wished),
    ],
  ];
  for (const [code, text, run] of refusals) {
    const result = await run;
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, text);
  }
  await writeFile(office.peopleFile, 'Zoë owner\n');
  const broken = await runAs('ana', ...reseal, ...wished, '--yes');
  assert.deepEqual(
    [broken.code, broken.stderr],
    [
      EXIT_CODES.config,
      'The file of recipients at the office has mistakes, so nothing was changed. Run office doctor there to list them.\n',
    ],
  );
  assert.equal(await canOpenStoredKey(office, planted.id, office.keys.ben), true, 'nothing was changed');
});
