/** The maintainer's commands next to a running service: list, show, approve, reject, suspend, rotate, redirect. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { registerSampleAgent } from '#test/agents/sample-registration.ts';
import { waitUntil } from '#test/patience.ts';
import { startServiceProcess } from '#test/service-process.ts';
import { createDeskCli, runCli } from './desk-cli.ts';

interface Agent {
  readonly agent: Record<string, unknown>;
}

const service = await startServiceProcess({ after }, { SANDBOX: 'off', RATE_LIMIT: 'off' });
const { get, dataDir } = service;
const { runForText, runForJson, runRefused } = createDeskCli(service);
const approval = ['--scopes', 'case:read case:write', '--grants', 'client_credentials'];

async function requestTokenStatus(clientId: string, clientSecret: string): Promise<number> {
  const { status } = await get('/oauth2/token', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
    },
    body: 'grant_type=client_credentials',
  });
  return status;
}

/** Waits for the e-mail that the running service writes to a file. */
async function waitForEmail(address: string): Promise<string> {
  return await waitUntil(`an e-mail to ${address} is there`, async () => {
    const names = await readdir(join(dataDir, 'mail')).catch(() => []);
    // A file that is still being written has another name.
    const whole = names.filter((name) => name.endsWith('.eml'));
    const emails = await Promise.all(whole.map((name) => readFile(join(dataDir, 'mail', name), 'utf8')));
    return emails.find((text) => text.includes(`To: ${address}`));
  });
}

test('a registration is listed, approved and gets credentials while the service runs', async () => {
  const sent = await registerSampleAgent(get, { client_name: 'Queue Agent', contact: 'queue@agent.example' });
  assert.match(await runForText('agents', 'list'), new RegExp(`${sent.id} +pending .* Queue Agent`));
  assert.match(await runForText('agents', 'show', sent.id), /^Contact +queue@agent\.example$/m);
  assert.match(await runForText('agents', 'approve', sent.id, ...approval), /^Approved\./);
  assert.match(await waitForEmail('queue@agent.example'), /\/agents\/credentials\//);
  const { client_id, client_secret } = (await sent.poll()).json;
  const [id, secret] = [String(client_id), String(client_secret)];
  assert.equal(await requestTokenStatus(id, secret), 200);

  const { agent } = await runForJson<Agent>('agents', 'show', id);
  assert.deepEqual(
    [agent['registration_id'], agent['state'], agent['scopes'], agent['contact']],
    [sent.id, 'active', ['case:read', 'case:write'], 'queue@agent.example'],
  );
  assert.equal((await runForJson<Agent>('agents', 'suspend', id)).agent['state'], 'suspended');
  assert.equal(await requestTokenStatus(id, secret), 401);
  assert.equal((await runForJson<Agent>('agents', 'approve', id)).agent['state'], 'active');
  assert.equal(await requestTokenStatus(id, secret), 200);
  assert.equal((await runForJson<Agent>('agents', 'rotate', id)).agent['state'], 'rotating');
  assert.equal(await requestTokenStatus(id, secret), 401);
  assert.match(await runForText('agents', 'rotate', id), /The webhook is unchanged: /);
  assert.match(await runForText('agents', 'approve', id), /An e-mail with a link is being sent\./);
});

test('the redirect addresses of a program that has moved are changed together, and shown', async () => {
  const { id } = await registerSampleAgent(get);
  const [old, fresh] = ['https://agent.example/callback', 'https://moved.example/callback'];
  assert.equal(
    await runForText('agents', 'redirect', id, '--add', fresh, '--remove', old),
    `Redirect addresses:\n  ${fresh}\n`,
  );
  assert.match(await runForText('agents', 'show', id), /^Redirects +https:\/\/moved\.example\/callback$/m);
  assert.match(await runRefused(64, 'agents', 'redirect', id), /^Give --add or --remove\. Usage: /);
  assert.match(
    await runRefused(1, 'agents', 'redirect', id, '--add', 'http://moved.example/'),
    /^http:\/\/moved\.example\/ cannot be added: a redirect URI must use https\.$/m,
  );
  assert.match(
    await runRefused(1, 'agents', 'redirect', id, '--remove', old),
    /not one of its redirect addresses/,
  );
});

test('a rejected agent is listed as rejected, and lists are paged', async () => {
  const sent = await registerSampleAgent(get);
  assert.match(await runForText('agents', 'reject', sent.id), /^Rejected\./);
  const rejected = await runForJson<{ agents: Record<string, unknown>[] }>(
    'agents',
    'list',
    '--status',
    'rejected',
  );
  assert.deepEqual(
    rejected.agents.map((agent) => agent['registration_id']),
    [sent.id],
  );
  const first = await runForJson<{ agents: unknown[]; next: string }>('agents', 'list', '--limit', '1');
  const second = await runForJson<{ agents: unknown[] }>(
    'agents',
    'list',
    '--limit',
    '1',
    '--after',
    first.next,
  );
  assert.notDeepEqual(first.agents, second.agents);
});

test('a wrong command prints one line and exits with its code', async () => {
  const { id } = await registerSampleAgent(get, { redirect_uris: [] });
  assert.match(
    await runRefused(64, 'agents', 'approve', id, '--scopes', 'case:read'),
    /must be used together/,
  );
  assert.match(
    await runRefused(64, 'agents', 'approve', id, '--scopes', 'all', '--grants', 'x'),
    /no scope all/,
  );
  assert.match(
    await runRefused(1, 'agents', 'approve', id, '--scopes', 'case:read', '--grants', 'authorization_code'),
    /redirect/,
  );
  assert.match(
    await runRefused(1, 'agents', 'approve', id),
    new RegExp(
      `agents approve ${id} --scopes "case:read case:write contact:write" --grants "client_credentials"`,
    ),
  );
  const wishing = await registerSampleAgent(get, {
    scopes: ['pricing:read'],
    grant_types: ['client_credentials'],
  });
  assert.match(
    await runRefused(1, 'agents', 'approve', wishing.id),
    /needs scopes and grants\. .* --scopes "pricing:read" --grants "client_credentials"/,
  );
  assert.match(await runForText('agents', 'show', wishing.id), /Requested scopes +pricing:read/);
  assert.match(await runRefused(1, 'agents', 'suspend', id), /reject the registration instead/);
  assert.match(await runRefused(1, 'agents', 'show', 'unknown'), /no such registration/);
  assert.match(await runRefused(64, 'agents', 'list', '--status', 'odd'), /one of/);
});

test('several registrations are rejected at once, and all that are pending after a confirmation', async () => {
  await runForText('agents', 'reject', '--all', '--yes');
  const sent = await Array.fromAsync({ length: 5 }, () => registerSampleAgent(get));
  const [first = '', second = '', third = '', ...others] = sent.map(({ id }) => id);
  assert.match(await runRefused(1, 'agents', 'reject', first, 'x'.repeat(22)), /no such registration/);
  assert.equal((await sent[0]!.poll()).json['status'], 'pending');
  assert.equal(await runForText('agents', 'reject', first, second, first), 'Rejected: 2 registrations.\n');
  assert.equal((await sent[0]!.poll()).json['status'], 'rejected');
  await runForText('agents', 'approve', third, ...approval);
  const unsure = await runCli({ DATA_DIR: dataDir }, ['agents', 'reject', '--all'], 'yes\n');
  assert.equal(unsure.code, 1);
  assert.match(unsure.stderr, /This affects 2 registrations\. Type reject to continue: Not confirmed/);
  const silent = await runCli({ DATA_DIR: dataDir }, ['agents', 'reject', '--all']);
  assert.match(silent.stderr, /continue: There was no answer; --yes confirms without asking\. Not confirmed/);
  const sure = await runCli({ DATA_DIR: dataDir }, ['agents', 'reject', '--all', '--json'], 'reject\n');
  assert.deepEqual(JSON.parse(sure.stdout), { rejected: others });
  assert.ok((await sent[2]!.poll()).json['client_id'], 'what was approved stays approved');
  assert.match(await runRefused(64, 'agents', 'reject', '--all', first), /takes no ID/);
});
