/** Plain reading: with the words, a program reads and answers a case that the service sealed, and no other. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { ServiceError } from '#platform/errors.ts';
import { MAX_MESSAGE_CHARACTERS } from '#seal/case/message.ts';
import { generateWords } from '#seal/core/words.ts';
import { deleteStoredMessage, updateToldCase, writeFromDesk, writeToCase } from '#test/cases/conversation.ts';
import { postFormFields } from '#test/cases/plain-form.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { assertProblem, openAgentCase, openApiTestbed, shareApiTestbed } from './api-testbed.ts';
import { countTableRows } from './bad-requests.ts';
import { deliverToPlainCase, openPlainCase, readPlainCase, sendPlainMessage } from './plain-case.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);

interface PlainMessage {
  readonly by: string;
  readonly seq: number;
  readonly text: string;
  readonly link: string;
}

function listTexts({ json }: HttpsResponse): string[] {
  return (json['messages'] as PlainMessage[]).map(
    ({ by, seq, text, link }) => `${by} ${seq} ${link}: ${text}`,
  );
}

function omitRequestId({ json }: HttpsResponse): object {
  return { ...json, request_id: '' };
}

for (const [engine, env] of Object.entries(engines)) {
  const testbed = engine === 'sqlite' ? await shareApiTestbed() : await openApiTestbed(cleanUp, { env });
  const agent = await testbed.createAgent();
  suite(engine, () => {
    test('a program that cannot seal reads the question, answers it, and reads the finding and its file', async () => {
      const own = await openPlainCase(agent);
      await writeToCase(testbed, own.words, 'desk', 'Which name did she use?');
      const question = await readPlainCase(agent, own);
      assert.equal(question.status, 200, question.text);
      assert.equal(question.headers['cache-control'], 'no-store');
      assert.deepEqual(listTexts(question), ['desk 0 linked: Which name did she use?']);
      assert.deepEqual(
        [question.json['finding'], question.json['missing'], question.json['more']],
        [undefined, [], false],
      );
      assert.equal((await sendPlainMessage(agent, own, 'Ann')).status, 201);
      const answered = await readPlainCase(agent, own, String(question.json['cursor']));
      assert.deepEqual(listTexts(answered), ['buyer 0 linked: Ann']);
      assert.deepEqual(listTexts(await readPlainCase(agent, own, String(answered.json['cursor']))), []);
      await deliverToPlainCase(testbed, own);
      const { json } = await readPlainCase(agent, own);
      const { markdown, files } = json['finding'] as {
        markdown: string;
        files: { id: string; name: string; size: number }[];
      };
      assert.deepEqual([json['state'], markdown, files.length], ['delivered', '# Found', 1]);
      const path = `/cases/${own.id}/plain/files/${files[0]?.id}`;
      const file = await agent.request('POST', path, { words: own.words });
      assert.deepEqual([file.status, file.text, files[0]?.size], [200, 'pages', 5]);
      assert.equal(file.headers['content-type'], 'application/octet-stream');
      assert.equal(
        file.headers['content-disposition'],
        "attachment; filename*=UTF-8''R%C3%A9sum%C3%A9%20%281%29.txt",
      );
    });

    test('what the desk sealed a message to mean is told, and where the service says something else', async () => {
      const own = await openPlainCase(agent);
      await writeFromDesk(testbed, own.words, 'We keep it longer.', 'retain', 90);
      await writeFromDesk(testbed, own.words, 'Which name did she use?', 'ask');
      const { json } = await readPlainCase(agent, own);
      const meant = (json['messages'] as Record<string, unknown>[]).map((message) => [
        message['act'],
        message['keep_days'],
      ]);
      assert.deepEqual(meant, [
        ['retain', 90],
        ['ask', undefined],
      ]);
      assert.deepEqual(json['differences'], []);
      await updateToldCase(testbed, own.words, { state: 'declined', keep_days: 30 });
      assert.deepEqual((await readPlainCase(agent, own)).json['differences'], ['declined', 'kept']);
    });

    test('reading stores and changes nothing', async () => {
      const own = await openPlainCase(agent);
      await deliverToPlainCase(testbed, own);
      const before = await countTableRows(testbed);
      const record = await agent.request('GET', `/cases/${own.id}`);
      const { json } = await readPlainCase(agent, own);
      const [file] = (json['finding'] as { files: { id: string }[] }).files;
      await agent.request('POST', `/cases/${own.id}/plain/files/${file?.id}`, { words: own.words });
      assert.deepEqual(await countTableRows(testbed), before);
      assert.deepEqual((await agent.request('GET', `/cases/${own.id}`)).json, record.json);
    });

    test('a message sent many times with one key is stored once, also at the same time', async () => {
      const own = await openPlainCase(agent);
      const atOnce = await Promise.all(
        Array.from({ length: 6 }, () => sendPlainMessage(agent, own, 'Once', 'one-key')),
      );
      for (const answer of atOnce.filter(({ status }) => status !== 201))
        assertProblem(answer, 409, 'case_changed');
      const shouted = { ...own, words: own.words.toUpperCase() };
      for (const repeated of [own, shouted])
        assert.equal((await sendPlainMessage(agent, repeated, 'Once', 'one-key')).status, 201);
      assert.deepEqual(listTexts(await readPlainCase(agent, own)), ['buyer 0 linked: Once']);
      assertProblem(await sendPlainMessage(agent, own, 'Twice', 'one-key'), 422, 'idempotency_key_reused');
      const guess = { ...own, words: generateWords() };
      assertProblem(await sendPlainMessage(agent, guess, 'Once', 'one-key'), 404, 'case_unknown');
    });

    test('of different messages at the same time, each is stored or refused', async () => {
      const own = await openPlainCase(agent);
      const texts = ['one', 'two', 'three'];
      const answers = await Promise.all(texts.map((text) => sendPlainMessage(agent, own, text)));
      const stored = texts.filter((_text, index) => answers[index]?.status === 201);
      for (const answer of answers.filter(({ status }) => status !== 201))
        assertProblem(answer, 409, 'case_changed');
      const read = (await readPlainCase(agent, own)).json['messages'] as PlainMessage[];
      assert.ok(stored.length > 0);
      assert.deepEqual(read.map(({ text }) => text).toSorted(), stored.toSorted());
    });
  });
}

const testbed = await shareApiTestbed();
const agent = await testbed.createAgent();

test('a case that its sender sealed is refused before the words are looked at, and the refusal says who saw them', async (t) => {
  const { id, form } = await openAgentCase(testbed, agent);
  const opened = t.mock.method(testbed.services.sealing, 'openCaseKey').mock;
  const sendAll = (words: string) => [
    agent.request('POST', `/cases/${id}/plain`, { words }),
    agent.request('POST', `/cases/${id}/plain/messages`, { words, text: 'x' }),
    agent.request('POST', `/cases/${id}/plain/files/${id}`, { words }),
  ];
  const answers = await Promise.all([form.words, 'not even words', generateWords()].flatMap(sendAll));
  for (const answer of answers) {
    assertProblem(answer, 409, 'case_sealed_elsewhere');
    assert.match(String(answer.json['detail']), /has now received them/);
    assert.deepEqual(omitRequestId(answer), omitRequestId(answers[0]!));
  }
  assert.equal(opened.callCount(), 0);
});

test('wrong words get one answer without a look at the records, whether they open another case or none', async (t) => {
  const [own, other] = [await openPlainCase(agent), await openPlainCase(agent)];
  const opened = t.mock.method(testbed.services.sealing, 'openCaseKey').mock;
  const keys = t.mock.method(testbed.services.store.shredKeys, 'read').mock;
  const guesses = [other.words, generateWords()];
  for (const path of ['', '/messages', `/files/${own.id}`]) {
    const extra = path === '/messages' ? { text: 'x' } : {};
    const [first, second] = await Promise.all(
      guesses.map((words) => agent.request('POST', `/cases/${own.id}/plain${path}`, { words, ...extra })),
    );
    assertProblem(first!, 404, 'case_unknown');
    assert.equal(first!.json['detail'], 'These words do not open this case.');
    assert.deepEqual(omitRequestId(first!), omitRequestId(second!));
  }
  assert.deepEqual([opened.callCount(), keys.callCount()], [0, 0]);
});

test('words with a mistake are refused by position, and the refusal has none of them', async () => {
  const own = await openPlainCase(agent);
  const list = own.words.split(' ');
  const mistakes = [
    [list.with(2, 'misspelledword').join(' '), /^Check word 3:/],
    ['', /must have at least 1 character/],
    ['legal '.repeat(70), /must have at most 400 characters/],
  ] as const;
  for (const [words, detail] of mistakes) {
    const answer = await readPlainCase(agent, { ...own, words });
    assertProblem(answer, 422, 'validation_failed');
    const [fault] = answer.json['errors'] as { pointer: string; detail: string }[];
    assert.equal(fault?.pointer, '/words');
    assert.match(fault?.detail ?? '', detail);
    assert.doesNotMatch(answer.text, /misspelledword/);
  }
});

test('another’s case, and a file that is elsewhere or no attachment, are not found', async () => {
  const [own, other] = [await openPlainCase(agent), await openPlainCase(agent)];
  const stranger = await testbed.createAgent();
  assertProblem(await readPlainCase(stranger, own), 404, 'case_unknown');
  assertProblem(await sendPlainMessage(stranger, own, 'x'), 404, 'case_unknown');
  await deliverToPlainCase(testbed, other);
  const listFiles = async (id: string) =>
    (await agent.request('GET', `/cases/${id}`)).json['files'] as { id: string; kind: string }[];
  const foreign = (await listFiles(other.id)).find(({ kind }) => kind === 'finding-file.v1');
  const inquiry = (await listFiles(own.id)).find(({ kind }) => kind === 'inquiry.v1');
  for (const file of [foreign?.id, inquiry?.id, 'A'.repeat(22)])
    assertProblem(
      await agent.request('POST', `/cases/${own.id}/plain/files/${file}`, { words: own.words }),
      404,
      'not_found',
    );
});

test('a message without text or too long is refused, one to a withdrawn case is not, and the body has no other field', async () => {
  const own = await openPlainCase(agent);
  for (const text of ['', ' \n', 'x'.repeat(MAX_MESSAGE_CHARACTERS + 1)])
    assertProblem(await sendPlainMessage(agent, own, text), 422, 'validation_failed');
  assert.equal((await sendPlainMessage(agent, own, '😀'.repeat(MAX_MESSAGE_CHARACTERS))).status, 201);
  for (const [path, body] of [
    ['plain', { words: own.words, after: '1' }],
    ['plain', { words: own.words, limit: 5 }],
    ['plain', { words: own.words.split(' ') }],
    ['plain/messages', { words: own.words, text: 'x', seq: 0 }],
    [`plain/files/${own.id}`, {}],
  ] as const)
    assertProblem(await agent.request('POST', `/cases/${own.id}/${path}`, body), 422, 'validation_failed');
  await agent.request('DELETE', `/cases/${own.id}`);
  assert.equal((await sendPlainMessage(agent, own, 'Where is my refund?')).status, 201);
  assert.equal((await readPlainCase(agent, own)).json['state'], 'withdrawn');
});

test('a finding that the desk can still take back is not told', async () => {
  const own = await openPlainCase(agent);
  await deliverToPlainCase(testbed, own, { undoMs: 3_600_000 });
  const { json } = await readPlainCase(agent, own);
  assert.deepEqual([json['state'], json['finding']], ['received', undefined]);
});

test('a message removed from the records is reported as missing, and those after it as unchecked', async () => {
  const own = await openPlainCase(agent);
  for (const text of ['one', 'two', 'three']) await writeToCase(testbed, own.words, 'desk', text);
  await deleteStoredMessage(testbed, own.words, 'desk', 1);
  const answer = await readPlainCase(agent, own);
  assert.deepEqual(answer.json['missing'], [{ by: 'desk', first: 1, last: 1 }]);
  assert.deepEqual(listTexts(answer), ['desk 0 linked: one', 'desk 2 after_gap: three']);
});

test('while nothing can be opened, the answer says when to try again', async (t) => {
  const own = await openPlainCase(agent);
  t.mock.method(testbed.services.sealing, 'openCaseKey', async () => {
    throw new ServiceError('sealing_unavailable');
  });
  const answer = await readPlainCase(agent, own);
  assertProblem(answer, 503, 'sealing_unavailable');
  assert.equal(answer.headers['retry-after'], '5');
});

test('words tried with a token are counted together, for its account and not for the site', async (t) => {
  const limited = await openApiTestbed(t, { env: { RATE_LIMIT: 'on' } });
  const guesser = await limited.createAgent();
  const own = await openPlainCase(guesser);
  const guess = { ...own, words: generateWords() };
  const file = `/cases/${own.id}/plain/files/${own.id}`;
  const ways = [
    () => readPlainCase(guesser, guess),
    () => sendPlainMessage(guesser, guess, 'x'),
    () => guesser.request('POST', file, { words: guess.words }),
  ];
  for (let tries = 0; tries < 20; tries += 1)
    assertProblem(await ways[tries % ways.length]!(), 404, 'case_unknown');
  for (const tryWords of ways) assertProblem(await tryWords(), 429, 'rate_limited');
  assertProblem(await readPlainCase(guesser, own), 429, 'rate_limited');
  const { status } = await postFormFields(limited, '/case', { words: generateWords() });
  assert.equal(status, 422);
});
