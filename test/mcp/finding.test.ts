/** A client without a model that knows only the address reaches the finding, with both SDKs and both revisions. */
import assert from 'node:assert/strict';
import test from 'node:test';
import * as present from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import * as previous from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { samplePlainInquiry } from '#test/api/api-testbed.ts';
import { deliverToPlainCase } from '#test/api/plain-case.ts';
import { SdkAgent } from '#test/oauth/sdk-agent.ts';
import { waitUntil } from '#test/patience.ts';
import { fetchPatiently, shareMcpTestbed } from './mcp-testbed.ts';

const testbed = await shareMcpTestbed();
const { endpoint, origin, oauth, sandbox } = testbed;

type Call = (name: string, input?: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** What both SDKs return. */
interface CallResult {
  readonly isError?: boolean | undefined;
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}

function readOutput({ isError, content, structuredContent }: CallResult): Record<string, unknown> {
  assert.ok(!isError, JSON.stringify(content));
  return structuredContent as Record<string, unknown>;
}

/** Uses an open client to reach the finding; `pay` is what the person does. */
async function obtainFinding(call: Call, pay: (url: string) => Promise<unknown>): Promise<void> {
  assert.deepEqual(await call('get_payment_status'), { configured: true });
  const { terms_version } = await call('get_pricing');
  const { url, order_id, submission_key } = await call('create_checkout', { tier: 'Trace' });
  await pay(String(url));
  await waitUntil('the order is paid', async () => {
    const { status } = await call('get_order', { order_id });
    return status === 'paid';
  });
  const { id, words, sealed_by } = await call('submit_inquiry', {
    order_id,
    submission_key,
    terms_version,
    inquiry: samplePlainInquiry,
  });
  assert.equal(sealed_by, 'server');
  const asked = { case_id: id, words };
  assert.equal((await call('get_case', { case_id: id }))['state'], 'received');
  assert.equal((await call('get_finding', asked))['finding'], undefined);
  await call('send_case_message', { ...asked, text: 'She called herself Ann.' });
  const { messages } = (await call('read_messages', asked)) as { messages: { text: string }[] };
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['She called herself Ann.'],
  );
  await deliverToPlainCase(testbed, { id: String(id), words: String(words) }, { markdown: '# It is her' });
  const { state, finding } = (await call('get_finding', asked)) as {
    state: string;
    finding: { markdown: string };
  };
  assert.deepEqual([state, finding.markdown], ['delivered', '# It is her']);
  assert.equal((await call('request_retention', { case_id: id, keep_days: 90 }))['keep_days'], 90);
  const { cases } = (await call('list_cases')) as { cases: { id: string }[] };
  assert.ok(cases.some((each) => each.id === id));
}

const payAtSandbox = (url: string) => sandbox.pay(url.split('/').at(-1) ?? '');

test('the present SDK, revision 2026-07-28, for itself: it is asked to show the payment page', async () => {
  const credentials = await testbed.registerAgent(['client_credentials']);
  const client = new present.Client(
    { name: 'test', version: '1' },
    {
      capabilities: { elicitation: { url: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  const shown: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    assert.ok('url' in params, 'a page, and no form for card data');
    shown.push(params.url);
    await payAtSandbox(params.url);
    return { action: 'accept' as const };
  });
  const authProvider = new present.ClientCredentialsProvider({ ...credentials, expectedIssuer: origin });
  await client.connect(
    new present.StreamableHTTPClientTransport(endpoint, { authProvider, fetch: fetchPatiently }),
  );
  assert.equal((await client.listTools()).tools.length, 15);
  await obtainFinding(
    async (name, input = {}) => readOutput(await client.callTool({ name, arguments: input })),
    async (url) => assert.deepEqual(shown, [url]),
  );
  await client.close();
});

test('the previous SDK, revision 2025-11-25, for a person who signs in at the first protected call', async () => {
  const provider = new SdkAgent(await testbed.registerAgent(['authorization_code', 'refresh_token']));
  const client = new previous.Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(endpoint, {
    authProvider: provider,
    fetch: fetchPatiently,
  });
  await client.connect(transport);
  assert.equal(provider.sentTo, '', 'looking around needs no token');
  assert.equal((await client.listTools()).tools.length, 15);
  let consents = 0;
  const callWithConsent: Call = async (name, input = {}) => {
    const call = async () => readOutput((await client.callTool({ name, arguments: input })) as CallResult);
    try {
      return await call();
    } catch (error) {
      assert.ok(error instanceof UnauthorizedError, String(error));
      consents += 1;
      const callback = await oauth.authorize(provider.sentTo, { address: 'someone@person.example' });
      await transport.finishAuth(callback.searchParams.get('code') ?? '');
      return await call();
    }
  };
  await obtainFinding(callWithConsent, payAtSandbox);
  assert.equal(consents, 1, 'at the checkout, for everything that follows');
  await client.close();
});
