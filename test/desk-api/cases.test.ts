/** Investigators at work through the desk API: the queue, a case with its parts, what they write, and their acts. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { sealCaseNote } from '#seal/case/note.ts';
import { openCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, sealEnvelope } from '#seal/core/envelope.ts';
import { hashTokenValue } from '#store/clients/tokens.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { DeskActResultSchema, type DeskCase, DeskCaseFileSchema, DeskQueueSchema } from '#wire/desk-cases.ts';
import { assertRefused, buildDeskApp, requireFit, type SignedInDesk, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase, PLANTED_INQUIRY, type PlantedCase, sealSampleFile } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const PIECE_BYTES = 256 * 1024;
const UNKNOWN = 'q1Zl7yBq3mJx0c2y8l4QxA';
const toText = (sealed: Uint8Array) => Buffer.from(sealed).toString('base64url');

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp)))
  suite(`on ${engine}`, async () => {
    const office = await buildDeskApp(
      cleanUp,
      { ana: 'owner', ben: 'investigator' },
      { env: { ...env, DELIVERY_UNDO_MINUTES: '10' } },
    );
    const ana = await signInAtDesk(office, office.keys.ana);
    const ben = await signInAtDesk(office, office.keys.ben);

    const readQueue = (desk: SignedInDesk, query = '') =>
      requireFit(desk.send(`/cases${query}`), DeskQueueSchema);
    const listIds = async (desk: SignedInDesk, query: string) =>
      (await readQueue(desk, query)).cases.map(({ id }) => id);
    const readCase = (desk: SignedInDesk, id: string) =>
      requireFit(desk.send(`/cases/${id}`), DeskCaseFileSchema);
    const post = (desk: SignedInDesk, id: string, path: string, body: unknown) =>
      desk.send(`/cases/${id}/${path}`, { method: 'POST', body });
    /** Posts what is accepted, and returns the case as it is then. */
    const change = async (desk: SignedInDesk, id: string, path: string, body: unknown): Promise<DeskCase> => {
      const { case: changed } = await requireFit(post(desk, id, path, body), DeskActResultSchema);
      assert.ok(changed);
      return changed;
    };
    const perform = (desk: SignedInDesk, id: string, act: string) => change(desk, id, 'acts', { act });
    const sealMessage = async ({ key }: Pick<PlantedCase, 'key'>, seq: number, act: object) => {
      const body = { text: 'CANARY', call_windows: [], seen: 0, thread: '' };
      const sealed = await sealEnvelope(key, { kind: 'desk-message.v1', seq }, body);
      return { seq, sealed: toText(sealed), ...act };
    };

    test('the queue has the earliest due first, in pages, by view and by change', async () => {
      assert.deepEqual((await readQueue(ana)).cases, []);
      const later = await insertPlantedCase(office, { due_at: Date.now() + DAY_MS, tier: 'Dossier' });
      const late = await insertPlantedCase(office, { due_at: Date.now() - HOUR_MS });
      const first = await readQueue(ana, '?limit=1');
      assert.deepEqual(
        first.cases.map(({ id, late: isLate }) => [id, isLate]),
        [[late.id, true]],
      );
      const second = await readQueue(ana, `?limit=1&after=${first.next}`);
      assert.deepEqual([second.cases.map(({ id }) => id), second.next], [[later.id], null]);
      assert.deepEqual({ ...first.counts }, { open: 2, mine: 0, unanswered: 0, late: 1, unassigned: 2 });
      await perform(ana, later.id, 'take');
      assert.deepEqual(await listIds(ana, '?view=mine&tier=Dossier'), [later.id]);
      assert.deepEqual(await listIds(ben, '?view=mine'), []);
      assert.deepEqual(await listIds(ben, '?view=late'), [late.id]);
      const changed = await readQueue(ben, `?changed_since=${first.now}`);
      assert.ok(changed.cases.some(({ id, holder }) => id === later.id && holder === ana.session.holder));
    });

    test('an investigator who has left has no case any more: a colleague takes it as an unassigned one', async () => {
      const atWork = { state: 'in_progress', due_at: Date.now() + 60_000 } as const;
      const assignee = 'L'.repeat(43);
      const left = await insertPlantedCase(office, { ...atWork, assignee });
      const held = await insertPlantedCase(office, { ...atWork, assignee: ana.session.holder });
      const { cases, counts: before } = await readQueue(ben, '?view=unassigned');
      assert.ok(cases.some(({ id }) => id === left.id) && !cases.some(({ id }) => id === held.id));
      const open = new Map((await readQueue(ben)).cases.map((each) => [each.id, each]));
      assert.equal(open.get(left.id)?.holder, assignee, 'the queue says whose it was');
      const acts = ['take', 'message', 'deliver', 'take_over'] as const;
      const listAllowed = (id: string) => acts.filter((act) => open.get(id)?.acts.includes(act));
      assert.deepEqual([listAllowed(left.id), listAllowed(held.id)], [acts.slice(0, 3), ['take_over']]);
      await assertRefused(post(ben, held.id, 'acts', { act: 'take' }), [409, 'case_held']);
      assert.equal((await perform(ben, left.id, 'take')).holder, ben.session.holder);
      const { counts } = await readQueue(ben, '?view=mine');
      assert.deepEqual([counts.unassigned, counts.mine], [before.unassigned - 1, before.mine + 1]);
    });

    test('a case comes with its sealed key and envelopes, and opens at the desk; its files come in pieces', async () => {
      const planted = await insertPlantedCase(office);
      const { case: facts, case_key: sealedKey, objects, envelopes } = await readCase(ben, planted.id);
      const { identity } = office.keys.ben;
      const key = await openCaseKey(Buffer.from(sealedKey, 'base64url'), identity, facts.lookup_hash);
      assert.equal(key.identity, planted.key.identity);
      assert.deepEqual(objects.map(({ kind }) => kind).toSorted(), ['inquiry-file.v1', 'inquiry.v1']);
      assert.equal(envelopes.length, 1);
      const sealed = Buffer.from(envelopes[0]!.sealed, 'base64url');
      assert.deepEqual(await openEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, sealed), PLANTED_INQUIRY);
      const pieces: Buffer[] = [];
      for (let piece = 0; Buffer.concat(pieces).length < planted.file.length; piece += 1) {
        const answer = await ben.send(`/cases/${planted.id}/objects/inquiry-file.v1/0/pieces/${piece}`);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers['content-type'], 'application/octet-stream');
        assert.equal(answer.headers['cache-control'], 'no-store');
        assert.ok(answer.bytes.length <= PIECE_BYTES);
        pieces.push(answer.bytes);
      }
      assert.equal(Buffer.compare(Buffer.concat(pieces), planted.file), 0);
      for (const path of [
        'inquiry-file.v1/0/pieces/9',
        'inquiry-file.v1/1/pieces/0',
        'finding-file.v1/0/pieces/0',
        'nothing/0/pieces/0',
      ])
        await assertRefused(ben.send(`/cases/${planted.id}/objects/${path}`), [404, 'not_found']);
      for (const path of ['', '/objects/inquiry.v1/0/pieces/0'])
        await assertRefused(ben.send(`/cases/${UNKNOWN}${path}`), [404, 'case_unknown']);
    });

    test('messages are stored once, mean what they say, and make the case that of their writer', async () => {
      const planted = await insertPlantedCase(office, { tier: 'Dossier' });
      const { id } = planted;
      const asked = await sealMessage(planted, 0, { act: 'ask', offer_call: true });
      for (const sent of ['first', 'again']) {
        const { state, call, holder, messages } = await change(ben, id, 'messages', asked);
        assert.deepEqual(
          [state, call, holder, messages.desk],
          ['awaiting_client', 'offered', ben.session.holder, 1],
          sent,
        );
      }
      const refuse = async (desk: SignedInDesk, body: object, expected: [number, string]) =>
        await assertRefused(post(desk, id, 'messages', body), expected);
      await refuse(ben, await sealMessage(planted, 0, { act: 'message' }), [409, 'case_changed']);
      await refuse(ana, await sealMessage(planted, 1, { act: 'message' }), [409, 'case_held']);
      const plain = { seq: 1, sealed: toText(Buffer.from('plain')), act: 'message' };
      await refuse(ben, plain, [422, 'not_sealed']);
      const mixed = await sealMessage(planted, 1, { act: 'decline', offer_call: true });
      await refuse(ben, mixed, [422, 'validation_failed']);
      const booking = await sealMessage(planted, 1, { act: 'book_call' });
      assert.equal((await change(ben, id, 'messages', booking)).call, 'booked');
      assert.equal((await perform(ben, id, 'hold_call')).call, 'held');
      for (const [seq, days] of [
        [2, 180],
        [3, 90],
      ] as const) {
        const reason = await sealMessage(planted, seq, { act: 'retain', keep_days: days });
        assert.equal((await change(ben, id, 'messages', reason)).keep_days, days);
      }
      const refusal = await sealMessage(planted, 4, { act: 'decline' });
      assert.equal((await change(ben, id, 'messages', refusal)).state, 'declined');
    });

    test('notes are for every investigator, whatever the assignee', async () => {
      const planted = await insertPlantedCase(office);
      await perform(ben, planted.id, 'take');
      const { desk } = await office.services.sealingKeys;
      const said = { seq: 0, note: { text: 'CANARY', by: ana.session.holder } };
      const note = { seq: 0, sealed: toText(await sealCaseNote(planted.key, desk, said)) };
      for (let sent = 0; sent < 2; sent += 1) {
        const { messages } = await change(ana, planted.id, 'notes', note);
        assert.deepEqual(messages, { buyer: 0, desk: 0, notes: 1 });
      }
      const { envelopes } = await readCase(ben, planted.id);
      assert.deepEqual(
        envelopes.map(({ kind }) => kind),
        ['inquiry.v1', 'note.v1'],
      );
      const message = await sealMessage(planted, 1, {});
      await assertRefused(post(ana, planted.id, 'notes', message), [422, 'not_sealed']);
    });

    test('a finding with a file is delivered, held, taken back and delivered again', async () => {
      const { id, key } = await insertPlantedCase(office);
      const uploadFile = async (desk: SignedInDesk, seq: number) => {
        const file = await sealSampleFile(key, 'finding-file.v1', seq * 50, 300_000);
        const upload = `${seq}${'u'.repeat(21)}`;
        for (const [piece, at] of [0, PIECE_BYTES].entries()) {
          const bytes = file.subarray(at, at + PIECE_BYTES);
          const put = await desk.send(`/cases/${id}/uploads/${upload}/${piece}`, { method: 'PUT', bytes });
          if (put.status !== 204) return put;
        }
        return { upload, size: file.length };
      };
      const deliver = async (desk: SignedInDesk, seq: number, changes: object = {}) => {
        const uploaded = await uploadFile(desk, seq);
        if ('status' in uploaded) return uploaded;
        const text = { markdown: 'CANARY', files: [] };
        const sealed = await sealEnvelope(key, { kind: 'finding.v1', seq }, text);
        const body = { seq, sealed: toText(sealed), files: [uploaded], ...changes };
        const answer = await post(desk, id, 'finding', body);
        assert.deepEqual((await post(desk, id, 'finding', body)).status, answer.status, 'sent twice');
        return answer;
      };
      const deliverWhole = async (seq: number, changes?: object) =>
        (await requireFit(deliver(ana, seq, changes), DeskActResultSchema)).case!;
      await perform(ana, id, 'take');
      await assertRefused(deliver(ben, 0), [409, 'case_held']);
      const delivered = await deliverWhole(0);
      assert.equal(delivered.state, 'delivered');
      assert.ok(Date.parse(delivered.held_until ?? '') > Date.now() + 9 * 60_000);
      assert.ok(delivered.acts.includes('take_back'));
      await assertRefused(deliver(ana, 1), [409, 'case_state']);
      const back = await perform(ana, id, 'take_back');
      assert.deepEqual([back.state, back.finding_seq, back.held_until], ['in_progress', 1, null]);
      const again = await deliverWhole(1, { at_once: true });
      assert.deepEqual([again.state, again.held_until], ['delivered', null]);
      await assertRefused(post(ana, id, 'acts', { act: 'take_back' }), [409, 'case_state']);
      const { objects } = await readCase(ben, id);
      const places = objects.map(({ kind, seq }) => `${kind} ${seq}`);
      assert.deepEqual(places.filter((place) => place.startsWith('finding')).toSorted(), [
        'finding-file.v1 50',
        'finding.v1 1',
      ]);
      const purged = await requireFit(post(ana, id, 'acts', { act: 'purge_now' }), DeskActResultSchema);
      assert.equal(purged.case, null);
      await assertRefused(ana.send(`/cases/${id}`), [404, 'case_unknown']);
    });

    test('a file that is not sealed, incomplete or never came makes no finding', async () => {
      const { id, key } = await insertPlantedCase(office);
      const upload = 'p'.repeat(22);
      const bytes = Buffer.alloc(6_000, 65);
      const put = (path: string, content: { bytes: Uint8Array } | { body: object }) =>
        ben.send(`/cases/${id}/uploads/${path}`, { method: 'PUT', ...content });
      assert.equal((await put(`${upload}/0`, { bytes })).status, 204);
      const sealed = toText(await sealEnvelope(key, { kind: 'finding.v1', seq: 0 }, {}));
      for (const [file, expected] of [
        [{ upload, size: 6_000 }, [422, 'not_sealed']],
        [{ upload, size: 6_001 }, [409, 'upload_incomplete']],
        [{ upload: 'n'.repeat(22), size: 6_000 }, [409, 'upload_incomplete']],
      ] as const)
        await assertRefused(post(ben, id, 'finding', { seq: 0, sealed, files: [file] }), expected);
      assert.equal((await readCase(ben, id)).case.state, 'received');
      const tooLong = { bytes: Buffer.alloc(PIECE_BYTES + 1) };
      await assertRefused(put(`${upload}/1`, tooLong), [413, 'payload_too_large']);
      await assertRefused(put(`${upload}/1`, { bytes: Buffer.alloc(0) }), [422, 'validation_failed']);
      await assertRefused(put('short/1', { bytes }), [404, 'not_found']);
      await assertRefused(put(`${upload}/1`, { body: {} }), [415, 'unsupported_media_type']);
    });

    test('whatever is malformed is refused and changes nothing', async () => {
      const planted = await insertPlantedCase(office);
      const { sealed } = await sealMessage(planted, 0, {});
      const files = Array.from({ length: 51 }, () => ({ upload: 'p'.repeat(22), size: 1 }));
      const invalid: readonly (readonly [path: string, body: unknown])[] = [
        ['acts', {}],
        ['acts', { act: 'deliver' }],
        ['acts', { act: 'take', more: 1 }],
        ['acts', { act: ['take'] }],
        ['acts', []],
        ['messages', { seq: 0, sealed }],
        ['messages', { seq: -1, sealed, act: 'message' }],
        ['messages', { seq: 0.5, sealed, act: 'message' }],
        ['messages', { seq: '0', sealed, act: 'message' }],
        ['messages', { seq: 0, sealed: `${sealed}=`, act: 'message' }],
        ['messages', { seq: 0, sealed: '', act: 'message' }],
        ['messages', { seq: 0, sealed, act: 'take' }],
        ['messages', { seq: 0, sealed, act: 'message', by: 'buyer' }],
        ['messages', { seq: 0, sealed, act: 'retain' }],
        ['messages', { seq: 0, sealed, act: 'retain', keep_days: 31 }],
        ['messages', { seq: 0, sealed, act: 'message', keep_days: 30 }],
        ['notes', { seq: 0 }],
        ['notes', { seq: 0, sealed, by: 'x' }],
        ['finding', { seq: 0, sealed }],
        ['finding', { seq: 0, sealed, files: {} }],
        ['finding', { seq: 0, sealed, files: [{ upload: 'x', size: 1 }] }],
        ['finding', { seq: 0, sealed, files }],
      ];
      for (const [path, body] of invalid)
        await assertRefused(post(ben, planted.id, path, body), [422, 'validation_failed']);
      for (const query of [
        'view=all',
        'limit=0',
        'limit=201',
        'limit=x',
        'after=x',
        'after=1.x',
        'changed_since=now',
        'changed_since=2026-13-01T00:00:00Z',
        'more=1',
        'view=open&view=mine',
      ])
        await assertRefused(ben.send(`/cases?${query}`), [422, 'validation_failed']);
      for (const path of [`${planted.id}x`, planted.id.slice(1), '..', `${planted.id}/nothing`])
        await assertRefused(ben.send(`/cases/${path}`), [404, 'not_found']);
      const raw = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' };
      assert.equal((await ben.send(`/cases/${planted.id}/acts`, raw)).status, 415);
      const { case: facts, objects } = await readCase(ben, planted.id);
      assert.deepEqual([facts.state, facts.holder, objects.length], ['received', null, 2]);
    });

    test('no operation works without a session, and none from elsewhere', async () => {
      const planted = await insertPlantedCase(office);
      const { operations } = (await ana.send('')).json as { operations: string[] };
      const open = ['POST /api/desk/challenges', 'POST /api/desk/sessions'];
      assert.ok(operations.length >= 12);
      for (const operation of operations.filter((each) => !open.includes(each))) {
        const [method = '', pattern = ''] = operation.split(' ');
        const path = pattern
          .replaceAll(/:(?:case|upload|message|agent|order|refund)\([^)]*\)/g, planted.id)
          .replace(/:kind\([^)]*\)/, 'inquiry.v1')
          .replaceAll(/:\w+\([^)]*\)/g, '0');
        const authorization = `DPoP ${hashTokenValue('unknown')}`;
        const headers = { authorization, 'content-type': 'application/json' };
        const none = await office.get(path, { method });
        assert.deepEqual([none.status, none.json['code']], [401, 'unauthorized'], operation);
        const body = method === 'POST' ? { body: '{' } : {};
        const wrong = await office.get(path, { method, headers, ...body });
        assert.deepEqual([wrong.status, wrong.json['code']], [401, 'invalid_token'], operation);
        const { statusCode } = await office.app.inject({
          method: method as 'GET',
          url: path,
          remoteAddress: '203.0.113.9',
          headers: { host: 'localhost' },
        });
        assert.equal(statusCode, 404, operation);
      }
    });

    test('neither the log nor the records have anything of a case, a token or who it was', async () => {
      const { id, key } = await insertPlantedCase(office);
      await readCase(ben, id);
      await change(ben, id, 'messages', await sealMessage({ key }, 0, { act: 'ask' }));
      const log = office.readLog();
      assert.match(log, /"route":"\/api\/desk\/cases\/:case/);
      const { token, holder } = ben.session;
      for (const secret of ['CANARY', id, token, holder, office.keys.ben.recipient.slice(0, 40)])
        assert.ok(!log.includes(secret), secret);
      const tables = [
        'cases',
        'objects',
        'audit_entries',
        'desk_sessions',
        'desk_challenges',
        'tokens',
      ] as const;
      for (const table of tables)
        for (const row of await office.store.records.selectFrom(table).selectAll().execute())
          for (const secret of ['CANARY', token]) assert.ok(!JSON.stringify(row).includes(secret), table);
    });
  });
