/** Re-sealing over HTTP: by owners alone, to the configured recipient set, and only in place of the key they read. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { addCaseNote } from '#cases/messages/notes.ts';
import { storeResealedCase } from '#cases/sealing/reseal.ts';
import { sealCaseNote } from '#seal/case/note.ts';
import { hashSealedKey } from '#seal/case/resealed-case.ts';
import { sealCaseKey } from '#seal/core/case-key.ts';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { DeskAuditSchema } from '#wire/desk-audit.ts';
import { DeskRecipientSetSchema, DeskResealingPageSchema } from '#wire/desk-resealing.ts';
import { canOpenStoredKey, writeOfficeTeam } from './changed-team.ts';
import { buildDeskApp, generateDeskKey, requireFit, type SignedInDesk, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const ID = 'q1Zl7yBq3mJx0c2y8l4QxA';
const HASH = 'h'.repeat(43);
const people = { ana: 'owner', ben: 'investigator' } as const;

const readSets = (desk: SignedInDesk) => requireFit(desk.send('/sealing-set'), DeskRecipientSetSchema);
const readPage = (desk: SignedInDesk, query: string) =>
  requireFit(desk.send(`/resealing?${query}`), DeskResealingPageSchema);

async function ask(desk: SignedInDesk, method: string, path: string, body?: unknown) {
  const { status, json } = await desk.send(path, { method, ...(body === undefined ? {} : { body }) });
  return [status, json['code'] ?? null];
}

test('investigators are refused, and what is malformed changes nothing', async (t) => {
  const office = await buildDeskApp(t, people);
  const ana = await signInAtDesk(office, office.keys.ana);
  const ben = await signInAtDesk(office, office.keys.ben);
  const part = { id: ID, former: HASH, case_key: 'YQ', notes: [], whole: true };
  const requests: [method: string, path: string, body?: unknown][] = [
    ['GET', '/sealing-set'],
    ['POST', '/sealing-set', { former: null, set: HASH }],
    ['GET', `/resealing?set=${HASH}`],
    ['PUT', '/resealing', { set: HASH, cases: [part] }],
    ['POST', '/resealing/end', { set: HASH }],
  ];
  for (const [method, path, body] of requests) {
    assert.deepEqual(await ask(ben, method, path, body), [403, 'owner_only'], path);
  }
  const { adopted } = await readSets(ana);
  const set = adopted!.set;
  for (const [method, path, body, status] of [
    ['GET', '/resealing', undefined, 422],
    ['GET', `/resealing?set=${set}&after=x`, undefined, 422],
    ['GET', `/resealing?set=${set}&limit=9`, undefined, 422],
    ['GET', `/resealing?set=${HASH}`, undefined, 409],
    ['GET', '/sealing-set?set=x', undefined, 422],
    ['POST', '/resealing/end', {}, 422],
    ['POST', '/sealing-set', { set }, 422],
    ['PUT', '/resealing', { set, cases: [] }, 422],
    ['PUT', '/resealing', { set, cases: Array.from({ length: 21 }, () => part) }, 422],
    ['PUT', '/resealing', { set, cases: [{ ...part, sealed_to: set }] }, 422],
    ['PUT', '/resealing', { set, cases: [{ ...part, notes: [{ seq: 200, sealed: 'YQ' }] }] }, 422],
    ['PUT', '/resealing', { set, cases: [{ ...part, case_key: 'a'.repeat(2 ** 20) }] }, 413],
  ] as const)
    assert.equal((await ask(ana, method, path, body))[0], status, `${method} ${path}`);
  assert.deepEqual(await ask(ana, 'PUT', '/resealing', { set, cases: [part] }), [422, 'not_sealed']);
});

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp)))
  test(`a key takes the place of the one that was read, once, on ${engine}`, async (t) => {
    const office = await buildDeskApp(t, people, { env });
    const { store, services, keys } = office;
    const zoe = await generateDeskKey();
    const ana = await signInAtDesk(office, keys.ana);
    const cases = await Array.fromAsync({ length: 21 }, () => insertPlantedCase(office));
    const [first, second] = cases;
    assert.ok(first && second);
    const running = await services.sealingKeys;
    const by = ana.session.holder;
    const note = { text: 'CANARY', by };
    const sealedNote = await sealCaseNote(first.key, running.desk, { seq: 0, note });
    await addCaseNote(services, first.id, { seq: 0, sealed: sealedNote, by });

    const former = (await readSets(ana)).adopted!.set;
    const line = { name: 'ana', role: 'owner', recipient: keys.ana.recipient } as const;
    const newcomer = { name: 'zoe', role: 'investigator', recipient: zoe.recipient } as const;
    const set = await writeOfficeTeam(office, [line, newcomer]);
    const told = await readSets(ana);
    assert.deepEqual(
      [told.adopted?.set, told.configured?.set, told.configured?.members.map(({ name }) => name), told.left],
      [former, set, ['ana', 'zoe', null], 21],
    );
    const adopt = (body: unknown) => ask(ana, 'POST', '/sealing-set', body);
    assert.deepEqual(await adopt({ former, set: HASH }), [409, 'sealing_set_changed']);
    assert.deepEqual(await adopt({ former: HASH, set }), [409, 'sealing_set_changed']);
    for (const rest of [[newcomer], [{ ...line, role: 'investigator' } as const, newcomer]]) {
      const without = await writeOfficeTeam(office, rest);
      assert.deepEqual(await adopt({ former, set: without }), [422, 'validation_failed']);
    }
    await writeOfficeTeam(office, [{ ...newcomer, recipient: 'age1pq1' }]);
    assert.equal((await readSets(ana)).configured, null, 'a file with mistakes names no one');
    await writeOfficeTeam(office, [line, newcomer]);
    assert.deepEqual(await adopt({ former, set }), [200, null]);
    assert.deepEqual(await adopt({ former, set }), [200, null], 'the same request again changes nothing');

    const page = await readPage(ana, `set=${set}`);
    assert.equal(page.cases.length, 20);
    const rest = await readPage(ana, `set=${set}&after=${page.next}`);
    assert.equal(rest.cases.length, 1);
    assert.deepEqual(await readPage(ana, `set=${set}&after=${rest.next}`), { cases: [], next: null });
    const listed = [...page.cases, ...rest.cases];
    assert.deepEqual(listed.map(({ id }) => id).toSorted(), cases.map(({ id }) => id).toSorted());
    const found = listed.find(({ id }) => id === first.id)!;
    assert.deepEqual(found.notes, [{ seq: 0, size: sealedNote.length }]);

    const holders = { desk: [keys.ana.recipient, zoe.recipient], recovery: running.recovery };
    const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
    const hash = hashSealedKey(Buffer.from(found.case_key!, 'base64url'));
    const key = await sealCaseKey(first.key, holders);
    const notes = [{ seq: 0, sealed: toText(await sealCaseNote(first.key, holders.desk, { seq: 0, note })) }];
    const part = { id: first.id, former: hash, case_key: toText(key), notes, whole: true };
    const put = async (body: unknown) => {
      const { status, json } = await ana.send('/resealing', { method: 'PUT', body });
      return [status, json['code'] ?? json['changed']];
    };
    const wide = toText(await sealCaseKey(first.key, { ...holders, desk: [...holders.desk, zoe.recipient] }));
    const previousNote = {
      seq: 0,
      sealed: toText(await sealCaseNote(first.key, [zoe.recipient], { seq: 0, note })),
    };
    for (const wrong of [{ case_key: wide }, { notes: [previousNote] }])
      assert.deepEqual(await put({ set, cases: [{ ...part, ...wrong }] }), [422, 'not_sealed']);
    assert.equal(await canOpenStoredKey(office, first.id, zoe), false);

    assert.deepEqual(await put({ set, cases: [{ ...part, whole: false }] }), [200, []]);
    assert.equal((await readSets(ana)).left, 21, 'what is not whole stays on the list');
    assert.deepEqual(await put({ set, cases: [part, part] }), [200, []], 'the same again is the same');
    assert.equal(await canOpenStoredKey(office, first.id, zoe), true);
    assert.equal(await canOpenStoredKey(office, first.id, keys.ben), false);
    const late = toText(await sealCaseKey(first.key, holders));
    assert.deepEqual(
      await put({ set, cases: [{ ...part, case_key: late }] }),
      [200, [first.id]],
      'another run that read the previous key comes too late',
    );
    assert.equal(await countCasesToReseal(store.records, set), 20);
    const listActs = async (query = '') =>
      (await requireFit(ana.send(`/audit${query}`), DeskAuditSchema)).entries.map(
        ({ entry }) => (JSON.parse(entry ?? '') as { act: string }).act,
      );
    assert.deepEqual(await listActs(`?case=${first.id}`), ['reseal', 'reseal', 'note']);
    const handedOut = (await listActs()).filter((act) => act === 'read_keys');
    assert.equal(handedOut.length, 3, 'each page of keys that was handed out has an entry');
    await ana.send(`/cases/${first.id}`);
    assert.equal((await listActs(`?case=${first.id}`))[0], 'read', 'sealing it again was no visit');

    const other = await writeOfficeTeam(office, [line]);
    assert.deepEqual(await adopt({ former: set, set: other }), [200, null]);
    assert.deepEqual(
      await put({ set, cases: [part] }),
      [409, 'sealing_set_changed'],
      'another run has begun',
    );
    const behind = listed.find(({ id }) => id === second.id)!;
    const resealing = {
      id: second.id,
      set,
      by,
      notes: [],
      isWhole: true,
      previous: hashSealedKey(Buffer.from(behind.case_key!, 'base64url')),
      caseKey: await sealCaseKey(second.key, holders),
    };
    await assert.rejects(storeResealedCase(services, resealing), { code: 'sealing_set_changed' });
    const ended = await ana.send('/resealing/end', { method: 'POST', body: { set: other } });
    assert.deepEqual([ended.status, ended.json['left']], [200, 21]);
    const asked = await ana.send(`/sealing-set?set=${set}`);
    assert.equal(asked.json['left'], 20, 'counted for the set that was asked about');
  });
