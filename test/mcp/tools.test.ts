/** The tools: how they are described to a model, who may call them, and what it reads when they refuse. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { english } from '#language/languages.ts';
import { SCOPES, type Scope } from '#platform/scopes.ts';
import { generateWords } from '#seal/core/words.ts';
import { assertProblem, openAgentCase, samplePlainInquiry } from '#test/api/api-testbed.ts';
import { openPlainCase } from '#test/api/plain-case.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { readResult, shareMcpTestbed } from './mcp-testbed.ts';

const testbed = await shareMcpTestbed();
const { send, callTool } = testbed;
const agent = await testbed.createAgent();
const own = { authorization: agent.authorization };
const ownCase = await openPlainCase(agent);
const sealedCase = await openAgentCase(testbed, agent);
const strangers = await openPlainCase(await testbed.createAgent());

const unknownId = 'q1Zl7yBq3mJx0c2y8l4QxA';
const inquiry = { terms_version: CURRENT_TERMS, inquiry: samplePlainInquiry };

/** Hints: reads, destroys, may be repeated, reaches people or others outside; and the scope, if one is needed. */
const traits: Readonly<Record<string, readonly [hints: string, scope: Scope | null]>> = {
  get_pricing: ['read idempotent', null],
  get_payment_status: ['read idempotent', null],
  create_checkout: ['open', 'case:write'],
  get_order: ['read idempotent', 'case:write'],
  list_orders: ['read idempotent', 'case:write'],
  submit_inquiry: ['destructive idempotent open', 'case:write'],
  list_cases: ['read idempotent', 'case:read'],
  get_case: ['read idempotent', 'case:read'],
  request_retention: ['destructive idempotent', 'case:write'],
  withdraw_case: ['destructive idempotent', 'case:write'],
  read_messages: ['read idempotent', 'case:read'],
  get_finding: ['read idempotent', 'case:read'],
  get_finding_file: ['read idempotent', 'case:read'],
  send_case_message: ['open', 'case:write'],
  send_contact_message: ['open', 'contact:write'],
};
interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, boolean>>;
}

const { tools } = readResult(await send({ method: 'tools/list' })) as { tools: ListedTool[] };

test('every tool says truly what it does to the world', () => {
  const listed = tools.map(({ name, annotations }) => {
    const words = {
      readOnlyHint: 'read',
      destructiveHint: 'destructive',
      idempotentHint: 'idempotent',
      openWorldHint: 'open',
    };
    assert.deepEqual(Object.keys(annotations).toSorted(), Object.keys(words).toSorted(), name);
    const hints = Object.entries(words).flatMap(([hint, word]) => (annotations[hint] ? [word] : []));
    return [name, hints.join(' ')];
  });
  assert.deepEqual(
    Object.fromEntries(listed),
    Object.fromEntries(Object.entries(traits).map(([name, [hints]]) => [name, hints])),
  );
});

test('a description stands alone, and all of them together are short', async () => {
  for (const { name, title, description, inputSchema } of tools) {
    assert.match(description, /^(?:Lists|Reports|Starts|Submits|Reads|Sends|Sets|Withdraws) /, name);
    assert.ok(title.length > 4 && description.length > 60, name);
    assert.deepEqual([inputSchema['type'], inputSchema['additionalProperties']], ['object', false], name);
    // Models' hosts refuse choices at the root of a schema.
    assert.deepEqual(
      ['oneOf', 'anyOf', 'allOf'].filter((key) => key in inputSchema),
      [],
      name,
    );
    assert.doesNotMatch(JSON.stringify(inputSchema), /~kind/);
    // A model calls tools, and need not know any address.
    assert.doesNotMatch(JSON.stringify(inputSchema), /`(?:GET|POST|PUT) /, name);
  }
  const { length } = JSON.stringify(tools);
  assert.ok(length <= 20 * 1_024, `a model reads ${length} bytes before the first question`);
});

test('where a story passes through is said before it is told, and where it is sent', async () => {
  const { instructions } = readResult(await send({ method: 'server/discover' })) as { instructions: string };
  const submit = tools.find(({ name }) => name === 'submit_inquiry')?.description;
  for (const text of [instructions, submit ?? '']) {
    assert.match(text, /passes through the host of the model/);
    assert.match(text, /sealing\.md/);
  }
});

test('each tool asks for its scope and for nothing else, in the way that makes clients ask a person', async () => {
  const authorizations = new Map<Scope, string>();
  for (const scope of SCOPES)
    authorizations.set(scope, await testbed.oauth.obtainBearer(agent.client, { scope }));
  for (const [name, [, needed]] of Object.entries(traits)) {
    const params = { name, arguments: {} };
    const anonymous = await send({ method: 'tools/call', params });
    if (needed === null) assert.equal(anonymous.status, 200);
    else {
      assertProblem(anonymous, 401, 'unauthorized');
      assert.match(
        String(anonymous.headers['www-authenticate']),
        /^Bearer scope="case:read case:write contact:write", /,
      );
    }
    for (const [scope, authorization] of authorizations) {
      const answer = await send({ method: 'tools/call', params, headers: { authorization } });
      if (needed === null || scope === needed) {
        assert.equal(answer.status, 200, `${name} ${scope}`);
        continue;
      }
      assertProblem(answer, 403, 'insufficient_scope');
      const challenge = String(answer.headers['www-authenticate']);
      assert.match(challenge, /^Bearer error="insufficient_scope"/);
      assert.ok(challenge.includes(`scope="${scope} ${needed}"`), challenge);
    }
  }
});

test('the words of a case are made by the service, and no model chooses them', async () => {
  const { properties } = tools.find(({ name }) => name === 'submit_inquiry')!.inputSchema;
  assert.equal(Object.keys(properties as object).includes('words'), false);
  const input = { order_id: unknownId, ...inquiry, words: generateWords() };
  const { text } = await callTool('submit_inquiry', input, own);
  assert.match(text, /^\/words: is not a known field/m);
});

test('what only a person can declare is asked for, in the words of the form', () => {
  const submit = tools.find(({ name }) => name === 'submit_inquiry')?.inputSchema['properties'];
  const { properties } = (submit as { inquiry: { properties: Record<string, { description?: string }> } })
    .inquiry;
  assert.ok(properties['lawful_purpose']?.description?.includes(english['field.lawful_purpose']));
  assert.match(properties['lawful_purpose']?.description ?? '', /Ask them/);
  assert.match(properties['safety_risk']?.description ?? '', /ask them\b.*call their local emergency number/);
  for (const [name, { description = '' }] of Object.entries(properties))
    if (name !== 'contact') assert.ok(description.length > 10, `${name} is described`);
});

test('what is said about the words tells truly who reads the case without them', async () => {
  const prompt = await send({ method: 'prompts/get', params: { name: 'buy_inquiry' } });
  const submit = tools.find(({ name }) => name === 'submit_inquiry')?.description ?? '';
  for (const text of [submit, prompt.text]) {
    assert.match(text, /without them they cannot come back/i);
    assert.match(text, /investigators of the office, and the office’s recovery key, can read the case/);
    assert.doesNotMatch(text, /without them no ?(?:body|one)/);
  }
});

const asked = { case_id: ownCase.id, words: ownCase.words };

/** What may go wrong with each tool: the code, and a part of the sentence that the model reads. */
const refusals: readonly (readonly [tool: string, input: object, code: string, sentence: RegExp])[] = [
  ['get_pricing', { tier: 'Trace' }, 'validation_failed', /\/tier: is not a known field/],
  ['get_payment_status', { x: 1 }, 'validation_failed', /\/x: is not a known field/],
  ['create_checkout', {}, 'validation_failed', /\/tier: is missing/],
  ['create_checkout', { tier: 'Gold' }, 'validation_failed', /\/tier: must be one of these strings: "Trace"/],
  ['create_checkout', { tier: 'Trace', idempotency_key: 'ö' }, 'malformed_request', /visible ASCII/],
  [
    'create_checkout',
    { tier: 'Trace', in_browser: true, idempotency_key: '1' },
    'idempotency_key_weak',
    /random/,
  ],
  ['get_order', { order_id: unknownId }, 'not_found', /./],
  ['get_finding_file', { case_id: ownCase.id, words: ownCase.words, file_id: unknownId }, 'not_found', /./],
  ['list_orders', { limit: 101 }, 'validation_failed', /\/limit: must be <= 100/],
  ['list_orders', { limit: '1' }, 'validation_failed', /\/limit: must be an integer/],
  ['list_orders', { after: 'x' }, 'validation_failed', /^\/after: /m],
  ['submit_inquiry', { order_id: unknownId, ...inquiry }, 'not_found', /no such order/],
  [
    'submit_inquiry',
    { order_id: unknownId, ...inquiry, terms_version: 'x' },
    'terms_changed',
    /get_pricing has/,
  ],
  [
    'submit_inquiry',
    { order_id: unknownId, terms_version: 'x', inquiry: {} },
    'validation_failed',
    /^\/inquiry\/question: is missing/m,
  ],
  ['list_cases', { limit: 0 }, 'validation_failed', /\/limit/],
  ['get_case', { case_id: unknownId }, 'case_unknown', /no such case/],
  ['get_case', { case_id: strangers.id }, 'case_unknown', /no such case/],
  ['get_case', { case_id: '../cases' }, 'validation_failed', /\/case_id/],
  [
    'request_retention',
    { case_id: ownCase.id, keep_days: 31 },
    'validation_failed',
    /\/keep_days: must be one of/,
  ],
  ['request_retention', { case_id: strangers.id, keep_days: 90 }, 'case_unknown', /no such case/],
  ['withdraw_case', { case_id: strangers.id }, 'case_unknown', /no such case/],
  ['read_messages', { ...asked, words: generateWords() }, 'case_unknown', /do not open this case/],
  ['read_messages', { ...asked, after: '1' }, 'validation_failed', /\/after/],
  [
    'read_messages',
    { case_id: sealedCase.id, words: ownCase.words },
    'case_sealed_elsewhere',
    /consider them seen/,
  ],
  ['get_finding', { case_id: strangers.id, words: strangers.words }, 'case_unknown', /no such case/],
  ['get_finding', { case_id: sealedCase.id, words: 'x' }, 'case_sealed_elsewhere', /consider them seen/],
  ['send_case_message', { ...asked, text: '' }, 'validation_failed', /\/text: must have at least 1/],
  [
    'send_case_message',
    { case_id: sealedCase.id, words: 'x', text: 'y' },
    'case_sealed_elsewhere',
    /consider them seen/,
  ],
  [
    'send_contact_message',
    { topic: 'question', message: ' '.repeat(50) },
    'validation_failed',
    /^\/message: /m,
  ],
  [
    'send_contact_message',
    { topic: 'x', message: 'long enough to be sent' },
    'validation_failed',
    /\/topic: must be one of/,
  ],
];

test('each refusal is a result with the code, its sentence and the fields, and no tool is without one', async () => {
  for (const [name, input, code, sentence] of refusals) {
    const { isError, text, structuredContent } = await callTool(name, input, own);
    assert.deepEqual(
      [isError, text.split(':', 1)[0], structuredContent],
      [true, code, undefined],
      `${name}: ${text}`,
    );
    assert.match(text, sentence, name);
    assert.doesNotMatch(text, /\/plain|\/querystring/);
    assert.match(text, /^request_id: [\w-]{22}$/m);
  }
  assert.deepEqual(Object.keys(traits).toSorted(), [...new Set(refusals.map(([name]) => name))].toSorted());
});
