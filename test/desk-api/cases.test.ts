/** Investigators at work through the desk API: the queue, a case with its parts, what they write, and their acts. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { Value } from 'typebox/value';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { sealCaseNote } from '#seal/case/note.ts';
import { openCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, sealEnvelope } from '#seal/core/envelope.ts';
import { hashTokenValue } from '#store/clients/tokens.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import {
  DeskActResultSchema,
  type DeskCase,
  type DeskCaseFile,
  DeskCaseFileSchema,
  type DeskQueue,
  DeskQueueSchema,
} from '#wire/desk-cases.ts';
import { buildDeskApp, type SignedInDesk, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase, PLANTED_INQUIRY, type PlantedCase, sealSampleFile } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });
const PIECE_BYTES = 256 * 1024;
const schemas = { queue: DeskQueueSchema, file: DeskCaseFileSchema, result: DeskActResultSchema };

function assertFits(name: keyof typeof schemas, { status, json, headers, text }: HttpsResponse): void {
  assert.equal(status, 200, text.slice(0, 300));
  assert.equal(headers['cache-control'], 'no-store');
  const schema = schemas[name];
  assert.ok(Value.Check(schema, json), JSON.stringify(Value.Errors(schema, json)).slice(0, 500));
}

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp)))
  suite(`on ${engine}`, async () => {
    const office = await buildDeskApp(
      cleanUp,
      { ana: 'owner', ben: 'investigator' },
      { env: { ...env, DELIVERY_UNDO_MINUTES: '10' } },
    );
    const ana = await signInAtDesk(office, office.keys.ana);
    const ben = await signInAtDesk(office, office.keys.ben);

    const readQueue = async (desk: SignedInDesk, query = ''): Promise<DeskQueue> => {
      const answer = await desk.send(`/cases${query}`);
      assertFits('queue', answer);
      return answer.json as unknown as DeskQueue;
    };
    const readCase = async (desk: SignedInDesk, id: string): Promise<DeskCaseFile> => {
      const answer = await desk.send(`/cases/${id}`);
      assertFits('file', answer);
      return answer.json as unknown as DeskCaseFile;
    };
    const post = async (
      desk: SignedInDesk,
      id: string,
      path: string,
      body: unknown,
    ): Promise<HttpsResponse> => await desk.send(`/cases/${id}/${path}`, { method: 'POST', body });
    const perform = async (desk: SignedInDesk, id: string, name: string): Promise<DeskCase | null> => {
      const answer = await post(desk, id, 'acts', { act: name });
      assertFits('result', answer);
      return (answer.json as unknown as { case: DeskCase | null }).case;
    };
    const refuse = async (request: Promise<HttpsResponse>, expected: [number, string]) => {
      const { status, json, text } = await request;
      assert.deepEqual([status, json['code']], expected, text.slice(0, 300));
    };
    const sealMessage = async ({ key }: Pick<PlantedCase, 'key'>, seq: number) => {
      const body = { text: 'CANARY', call_windows: [], seen: 0, thread: '' };
      const sealed = await sealEnvelope(key, { kind: 'desk-message.v1', seq }, body);
      return { seq, sealed: Buffer.from(sealed).toString('base64url') };
    };

    test('the queue has the earliest due first, in pages, by view and by change', async () => {
      const before = await readQueue(ana);
      assert.deepEqual(before.cases, []);
      const later = await insertPlantedCase(office, { due_at: Date.now() + DAY_MS, tier: 'Dossier' });
      const late = await insertPlantedCase(office, { due_at: Date.now() - HOUR_MS });
      const first = await readQueue(ana, '?limit=1');
      assert.deepEqual(
        first.cases.map(({ id, late: isLate }) => [id, isLate]),
        [[late.id, true]],
      );
      const second = await readQueue(ana, `?limit=1&after=${first.next}`);
      assert.deepEqual(
        second.cases.map(({ id }) => id),
        [later.id],
      );
      assert.equal(second.next, null);
      assert.deepEqual(
        (await readQueue(ana, '?view=late')).cases.map(({ id }) => id),
        [late.id],
      );
      assert.deepEqual(
        (await readQueue(ana, '?tier=Dossier')).cases.map(({ id }) => id),
        [later.id],
      );
      assert.deepEqual((await readQueue(ana, '?view=mine')).cases, []);
      assert.deepEqual({ ...first.counts }, { open: 2, mine: 0, unanswered: 0, late: 1, unassigned: 2 });
      await perform(ana, later.id, 'take');
      assert.deepEqual(
        (await readQueue(ana, '?view=mine')).cases.map(({ id }) => id),
        [later.id],
      );
      assert.deepEqual((await readQueue(ben, '?view=mine')).cases, []);
      const changed = await readQueue(ben, `?changed_since=${first.now}`);
      assert.ok(changed.cases.some(({ id, holder }) => id === later.id && holder === ana.session.holder));
      for (const id of [later.id, late.id])
        await office.store.records
          .updateTable('cases')
          .set({ state: 'declined', purge_at: Date.now() + DAY_MS })
          .where('id', '=', id)
          .execute();
    });

    test('a case comes with its sealed key and envelopes, and opens at the desk; its files come in pieces', async () => {
      const planted = await insertPlantedCase(office);
      const { case: facts, case_key: sealedKey, objects, envelopes } = await readCase(ben, planted.id);
      const key = await openCaseKey(
        Buffer.from(sealedKey, 'base64url'),
        office.keys.ben.identity,
        facts.lookup_hash,
      );
      assert.equal(key.identity, planted.key.identity);
      assert.deepEqual(objects.map(({ kind }) => kind).toSorted(), ['inquiry-file.v1', 'inquiry.v1']);
      assert.deepEqual(
        envelopes.map(({ kind }) => kind),
        ['inquiry.v1'],
      );
      const inquiry = await openEnvelope(
        key,
        { kind: 'inquiry.v1', seq: 0 },
        Buffer.from(envelopes[0]!.sealed, 'base64url'),
      );
      assert.deepEqual(inquiry, PLANTED_INQUIRY);
      const pieces: Buffer[] = [];
      for (
        let piece = 0;
        pieces.reduce((sum, { length }) => sum + length, 0) < planted.file.length;
        piece += 1
      ) {
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
        await refuse(ben.send(`/cases/${planted.id}/objects/${path}`), [404, 'not_found']);
      await refuse(ben.send('/cases/q1Zl7yBq3mJx0c2y8l4QxA'), [404, 'case_unknown']);
      await refuse(ben.send('/cases/q1Zl7yBq3mJx0c2y8l4QxA/objects/inquiry.v1/0/pieces/0'), [
        404,
        'case_unknown',
      ]);
    });

    test('messages are stored once, mean what they say, and make the case that of their writer', async () => {
      const planted = await insertPlantedCase(office, { tier: 'Dossier' });
      const asked = { ...(await sealMessage(planted, 0)), act: 'ask', offer_call: true };
      const first = await post(ben, planted.id, 'messages', asked);
      assertFits('result', first);
      const { case: asking } = first.json as unknown as { case: DeskCase };
      assert.deepEqual(
        [asking.state, asking.call, asking.holder, asking.messages.desk],
        ['awaiting_client', 'offered', ben.session.holder, 1],
      );
      assertFits('result', await post(ben, planted.id, 'messages', asked));
      assert.equal(
        (await readCase(ben, planted.id)).case.messages.desk,
        1,
        'a repeated request adds nothing',
      );
      await refuse(
        post(ben, planted.id, 'messages', { ...(await sealMessage(planted, 0)), act: 'message' }),
        [409, 'case_changed'],
      );
      await refuse(
        post(ana, planted.id, 'messages', { ...(await sealMessage(planted, 1)), act: 'message' }),
        [409, 'case_held'],
      );
      await refuse(
        post(ben, planted.id, 'messages', {
          seq: 1,
          sealed: Buffer.from('plain').toString('base64url'),
          act: 'message',
        }),
        [422, 'not_sealed'],
      );
      await refuse(
        post(ben, planted.id, 'messages', {
          ...(await sealMessage(planted, 1)),
          act: 'decline',
          offer_call: true,
        }),
        [422, 'validation_failed'],
      );
      const booked = await post(ben, planted.id, 'messages', {
        ...(await sealMessage(planted, 1)),
        act: 'book_call',
      });
      assertFits('result', booked);
      assert.equal((booked.json['case'] as DeskCase).call, 'booked');
      assert.equal((await perform(ben, planted.id, 'hold_call'))?.call, 'held');
      const declined = await post(ben, planted.id, 'messages', {
        ...(await sealMessage(planted, 2)),
        act: 'decline',
      });
      assert.equal((declined.json['case'] as DeskCase).state, 'declined');
    });

    test('the days until the purge change with a reason for the buyer', async () => {
      const planted = await insertPlantedCase(office);
      const sendRetention = async (seq: number, days: number) =>
        await post(ben, planted.id, 'messages', {
          ...(await sealMessage(planted, seq)),
          act: 'retain',
          keep_days: days,
        });
      const longer = await sendRetention(0, 180);
      assertFits('result', longer);
      const { keep_days: days, messages, holder } = longer.json['case'] as DeskCase;
      assert.deepEqual([days, messages.desk, holder], [180, 1, ben.session.holder]);
      assert.equal(((await sendRetention(1, 90)).json['case'] as DeskCase).keep_days, 90);
    });

    test('notes are for every investigator, whatever the assignee', async () => {
      const planted = await insertPlantedCase(office);
      await perform(ben, planted.id, 'take');
      const { desk } = await office.services.sealingKeys;
      const sealed = await sealCaseNote(planted.key, desk, {
        seq: 0,
        note: { text: 'CANARY', by: ana.session.holder },
      });
      const note = { seq: 0, sealed: Buffer.from(sealed).toString('base64url') };
      const added = await post(ana, planted.id, 'notes', note);
      assertFits('result', added);
      assert.deepEqual((added.json['case'] as DeskCase).messages, { buyer: 0, desk: 0, notes: 1 });
      assertFits('result', await post(ana, planted.id, 'notes', note));
      const { envelopes } = await readCase(ben, planted.id);
      assert.deepEqual(
        envelopes.map(({ kind }) => kind),
        ['inquiry.v1', 'note.v1'],
      );
      const message = await sealMessage(planted, 1);
      await refuse(post(ana, planted.id, 'notes', message), [422, 'not_sealed']);
    });

    test('a finding with a file is delivered, held, taken back and delivered again', async () => {
      const planted = await insertPlantedCase(office);
      const deliver = async (desk: SignedInDesk, seq: number, changes: object = {}) => {
        const file = await sealSampleFile(planted.key, 'finding-file.v1', seq * 50, 300_000);
        const upload = `${seq}${'u'.repeat(21)}`;
        for (const [piece, at] of [
          [0, 0],
          [1, PIECE_BYTES],
        ] as const) {
          const bytes = file.subarray(at, at + PIECE_BYTES);
          const put = await desk.send(`/cases/${planted.id}/uploads/${upload}/${piece}`, {
            method: 'PUT',
            bytes,
          });
          if (put.status !== 204) return put;
        }
        const sealed = await sealEnvelope(
          planted.key,
          { kind: 'finding.v1', seq },
          { markdown: 'CANARY', files: [] },
        );
        const body = {
          seq,
          sealed: Buffer.from(sealed).toString('base64url'),
          files: [{ upload, size: file.length }],
          ...changes,
        };
        const answer = await post(desk, planted.id, 'finding', body);
        assert.deepEqual((await post(desk, planted.id, 'finding', body)).status, answer.status, 'sent twice');
        return answer;
      };
      await perform(ana, planted.id, 'take');
      await refuse(deliver(ben, 0), [409, 'case_held']);
      const held = await deliver(ana, 0);
      assertFits('result', held);
      const delivered = held.json['case'] as DeskCase;
      assert.equal(delivered.state, 'delivered');
      assert.ok(Date.parse(delivered.held_until ?? '') > Date.now() + 9 * 60_000);
      assert.ok(delivered.acts.includes('take_back'));
      await refuse(deliver(ana, 1), [409, 'case_state']);
      const back = await perform(ana, planted.id, 'take_back');
      assert.deepEqual([back?.state, back?.finding_seq, back?.held_until], ['in_progress', 1, null]);
      const again = (await deliver(ana, 1, { at_once: true })).json['case'] as DeskCase;
      assert.deepEqual([again.state, again.held_until], ['delivered', null]);
      await refuse(post(ana, planted.id, 'acts', { act: 'take_back' }), [409, 'case_state']);
      const { objects } = await readCase(ben, planted.id);
      assert.deepEqual(
        objects
          .filter(({ kind }) => kind.startsWith('finding'))
          .map(({ kind, seq }) => `${kind} ${seq}`)
          .toSorted(),
        ['finding-file.v1 50', 'finding.v1 1'],
      );
      assert.equal(await perform(ana, planted.id, 'purge_now'), null);
      await refuse(ana.send(`/cases/${planted.id}`), [404, 'case_unknown']);
    });

    test('a file that is not sealed, incomplete or never came makes no finding', async () => {
      const planted = await insertPlantedCase(office);
      const upload = 'p'.repeat(22);
      const bytes = Buffer.alloc(6_000, 65);
      assert.equal(
        (await ben.send(`/cases/${planted.id}/uploads/${upload}/0`, { method: 'PUT', bytes })).status,
        204,
      );
      const sealed = Buffer.from(
        await sealEnvelope(planted.key, { kind: 'finding.v1', seq: 0 }, {}),
      ).toString('base64url');
      const deliver = (files: readonly object[]) =>
        post(ben, planted.id, 'finding', { seq: 0, sealed, files });
      await refuse(deliver([{ upload, size: 6_000 }]), [422, 'not_sealed']);
      await refuse(deliver([{ upload, size: 6_001 }]), [409, 'upload_incomplete']);
      await refuse(deliver([{ upload: 'n'.repeat(22), size: 6_000 }]), [409, 'upload_incomplete']);
      assert.equal((await readCase(ben, planted.id)).case.state, 'received');
      const put = (path: string, body: Uint8Array) =>
        ben.send(`/cases/${planted.id}/uploads/${path}`, { method: 'PUT', bytes: body });
      await refuse(put(`${upload}/1`, Buffer.alloc(PIECE_BYTES + 1)), [413, 'payload_too_large']);
      await refuse(put(`${upload}/1`, Buffer.alloc(0)), [422, 'validation_failed']);
      await refuse(put('short/1', bytes), [404, 'not_found']);
      await refuse(ben.send(`/cases/${planted.id}/uploads/${upload}/1`, { method: 'PUT', body: {} }), [
        415,
        'unsupported_media_type',
      ]);
    });

    test('whatever is malformed is refused and changes nothing', async () => {
      const planted = await insertPlantedCase(office);
      const { sealed } = await sealMessage(planted, 0);
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
        [
          'finding',
          { seq: 0, sealed, files: Array.from({ length: 51 }, () => ({ upload: 'p'.repeat(22), size: 1 })) },
        ],
      ];
      for (const [path, body] of invalid)
        await refuse(post(ben, planted.id, path, body), [422, 'validation_failed']);
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
        await refuse(ben.send(`/cases?${query}`), [422, 'validation_failed']);
      for (const path of [
        `/cases/${planted.id}x`,
        `/cases/${planted.id.slice(1)}`,
        '/cases/..',
        `/cases/${planted.id}/nothing`,
      ])
        await refuse(ben.send(path), [404, 'not_found']);
      const raw = await ben.send(`/cases/${planted.id}/acts`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: 'x',
      });
      assert.equal(raw.status, 415);
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
        const headers = {
          authorization: `DPoP ${hashTokenValue('unknown')}`,
          'content-type': 'application/json',
        };
        const none = await office.get(path, { method });
        assert.deepEqual([none.status, none.json['code']], [401, 'unauthorized'], operation);
        const wrong = await office.get(path, {
          method,
          headers,
          ...(method === 'POST' ? { body: '{' } : {}),
        });
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
      assertFits(
        'result',
        await post(ben, id, 'messages', { ...(await sealMessage({ key }, 0)), act: 'ask' }),
      );
      const log = office.readLog();
      assert.match(log, /"route":"\/api\/desk\/cases\/:case/);
      const secrets = [
        'CANARY',
        id,
        ben.session.token,
        ben.session.holder,
        office.keys.ben.recipient.slice(0, 40),
      ];
      for (const secret of secrets) assert.ok(!log.includes(secret), secret);
      const { records } = office.store;
      const tables = [
        'cases',
        'objects',
        'audit_entries',
        'desk_sessions',
        'desk_challenges',
        'tokens',
      ] as const;
      for (const table of tables)
        for (const row of await records.selectFrom(table).selectAll().execute())
          for (const secret of ['CANARY', ben.session.token])
            assert.ok(!JSON.stringify(row).includes(secret), table);
    });
  });
