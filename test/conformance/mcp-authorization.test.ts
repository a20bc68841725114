/** The conformance suite's own client of an authorization server, sent to `/mcp` as the resource. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { after } from 'node:test';
import { installTools } from '#test/flows/third-party-tools.ts';
import { openMcpTestbed, REVISIONS } from '#test/mcp/mcp-testbed.ts';
import { findFreePorts } from '#test/ports.ts';

const { dataDir, endpoint, oauth, origin } = await openMcpTestbed({ after });
const [port = 0] = await findFreePorts(1);
const redirectUri = `http://127.0.0.1:${port}/callback`;

const program = join(await installTools(), '@modelcontextprotocol/conformance/dist/index.js');
for (const revision of REVISIONS)
  test(`conformance of authorization with revision ${revision}`, { timeout: 120_000 }, async () => {
    const { clientId, clientSecret } = await oauth.createClient({ redirectUris: [redirectUri] });
    const credentials = ['--client-id', clientId, '--client-secret', clientSecret];
    const place = ['--url', origin, '--resource', endpoint.href, '--port', String(port)];
    const suite = spawn(
      process.execPath,
      [program, 'authorization', ...place, ...credentials, '--spec-version', revision],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: join(dataDir, 'tls', 'localhost.crt') } },
    );
    let said = '';
    let visit: Promise<Response> | undefined;
    suite.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      const [address] = /https:\/\/\S+\/oauth2\/authorize\?\S+(?=\s)/.exec(said) ?? [];
      if (address) visit ??= signIn(address);
    });
    const faults = await text(suite.stderr);
    assert.equal((await visit)?.status, 200);
    assert.match(said, /Total: 2 passed, 0 failed/, said + faults);
  });

async function signIn(address: string): Promise<Response> {
  return await fetch(await oauth.authorize(address));
}
