/** Notes among investigators: stored once, in order, and never visible to a buyer. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { addCaseNote, listNoteObjects } from '#cases/messages/notes.ts';
import { readObjectBytes } from '#cases/sealing/sealed-case.ts';
import { requireCase, withdrawCase } from '#cases/states.ts';
import { MAX_MESSAGES } from '#seal/case/message.ts';
import { NOTE_KIND, openCaseNote, sealCaseNote } from '#seal/case/note.ts';
import { deriveRecipient, generateAgeIdentity, sealBytes } from '#seal/core/age.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { insertObject, listCaseObjects } from '#store/cases/objects.ts';
import { replaceRecipientSet } from '#store/keys/recipient-set.ts';
import { type AgentCase, openAgentCase, openApiTestbed } from '#test/api/api-testbed.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { lookAround } from './buyer-view.ts';
import { readPrivateKey, readStoredObject, requireContent } from './stored-case.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);

// Opened before the first test: awaiting between two suites would let the first one end, and with it the service.
const testbeds = await Array.fromAsync(Object.entries(engines), async ([engine, env]) => {
  const testbed = await openApiTestbed(cleanUp, { env });
  return {
    engine,
    testbed,
    agent: await testbed.createAgent(),
    keys: await testbed.services.sealingKeys,
    identity: await readPrivateKey(testbed.dataDir, 'desk'),
  };
});

for (const { engine, testbed, agent, keys, identity } of testbeds) {
  const { services, store } = testbed;
  const { desk, set } = keys;
  const by = computeInvestigatorId(desk[0]!);

  const seal = async ({ form }: AgentCase, seq: number, text = 'CANARY-NOTE') =>
    await sealCaseNote(form.key, desk, { seq, note: { text, by } });
  const add = async (sent: AgentCase, seq: number, sealed: Uint8Array) =>
    await addCaseNote(services, sent.id, { seq, sealed, by });
  const read = async (sent: AgentCase) => {
    const file = await readSealedCase(services, await requireCase(store.records, sent.id, Date.now()));
    return await Array.fromAsync(listNoteObjects(file.objects), async (object) => {
      const sealed = await readObjectBytes(file, object);
      return { seq: object.seq, note: await openCaseNote(sent.form.key, identity, object.seq, sealed) };
    });
  };

  suite(`notes on ${engine}`, () => {
    test('are opened by the desk in their order, and change nothing that the buyer can look at', async () => {
      const sent = await openAgentCase(testbed, agent);
      const before = await lookAround(testbed, agent, sent);
      await add(sent, 0, await seal(sent, 0, 'First.'));
      await add(sent, 1, await seal(sent, 1, 'Second.'));
      assert.deepEqual(
        (await read(sent)).map(({ seq, note }) => [seq, requireContent(note)]),
        [
          [0, { text: 'First.', by }],
          [1, { text: 'Second.', by }],
        ],
      );
      assert.deepEqual(await lookAround(testbed, agent, sent), before);
      for (const { id, kind } of await listCaseObjects(store.records, sent.id))
        if (kind === NOTE_KIND)
          assert.equal((await agent.request('GET', `/cases/${sent.id}/files/${id}`)).status, 404);
    });

    test('sent twice are stored once; of several at once with one number, one is stored', async () => {
      const sent = await openAgentCase(testbed, agent);
      const first = await seal(sent, 0);
      await add(sent, 0, first);
      await add(sent, 0, first);
      const rivals = await Promise.all([1, 2, 3, 4].map((number) => seal(sent, 1, `Rival ${number}`)));
      const results = await Promise.allSettled(rivals.map((sealed) => add(sent, 1, sealed)));
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await read(sent)).length, 2);
      await assert.rejects(add(sent, 0, await seal(sent, 0, 'Another.')), { code: 'case_changed' });
      await assert.rejects(add(sent, 3, await seal(sent, 3)), { code: 'case_changed' });
    });

    test('for other keys than those of the desk, or of another size, are refused', async () => {
      const sent = await openAgentCase(testbed, agent);
      const envelope = await sealEnvelope(sent.form.key, { kind: NOTE_KIND, seq: 0 }, { text: 'x', by });
      const stranger = await deriveRecipient(await generateAgeIdentity());
      for (const sealed of [
        new Uint8Array(),
        Buffer.alloc(2 ** 20, 1),
        envelope.subarray(1),
        await sealBytes(envelope, [...desk, stranger]),
        await sealBytes(envelope, [...desk, sent.form.key.recipient]),
        await sealBytes(Buffer.from('short'), desk),
      ])
        await assert.rejects(add(sent, 0, sealed), { code: 'not_sealed' });
      assert.equal((await read(sent)).length, 0);
    });

    test('end with their limit, and with a withdrawal', async () => {
      const sent = await openAgentCase(testbed, agent);
      const last = { caseId: sent.id, kind: NOTE_KIND, seq: MAX_MESSAGES - 1, bytes: await seal(sent, 0) };
      await store.transaction((records) => insertObject(records, { id: 'x', ...last, now: Date.now() }));
      await assert.rejects(add(sent, MAX_MESSAGES, await seal(sent, MAX_MESSAGES)), {
        code: 'case_state',
      });
      const other = await openAgentCase(testbed, agent);
      await withdrawCase(services, other.id);
      await assert.rejects(add(other, 0, await seal(other, 0)), { code: 'case_state' });
    });

    test('swapped between cases or numbers do not open, and go with their case', async () => {
      const [one, other] = [await openAgentCase(testbed, agent), await openAgentCase(testbed, agent)];
      await add(one, 0, await seal(one, 0));
      const record = await requireCase(store.records, one.id, Date.now());
      const stored = await readStoredObject(testbed, record, NOTE_KIND, 0);
      await add(other, 0, stored);
      await add(one, 1, await readStoredObject(testbed, record, NOTE_KIND, 0));
      const reasons = [...(await read(other)), ...(await read(one))].map(({ note }) =>
        'reason' in note ? note.reason : 'opens',
      );
      assert.deepEqual(reasons, ['wrong_key', 'opens', 'swapped']);
      await withdrawCase(services, one.id);
      await purgeCaseNow(services, one.id);
      assert.deepEqual(await listCaseObjects(store.records, one.id), []);
    });

    test('of a service with other keys than the adopted ones are refused', async () => {
      const sent = await openAgentCase(testbed, agent);
      const replaceSet = async (from: string, to: string) =>
        await store.transaction((records) => replaceRecipientSet(records, from, { tag: to, members: '[]' }));
      await replaceSet(set, 'another');
      await assert.rejects(add(sent, 0, await seal(sent, 0)), { code: 'sealing_keys_changing' });
      await replaceSet('another', set);
      await add(sent, 0, await seal(sent, 0));
    });
  });
}
