/** Specification 1: HTTPS only, whatever is requested from the plain port. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import test, { after, before, suite } from 'node:test';
import { connect } from 'node:tls';
import { exchange } from '#platform/net/http-exchange.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { findFreePorts } from '#test/ports.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import { startOffice, startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';

const cleanUp = withReverseCleanup({ after });
const service = await startServiceProcess(cleanUp);
const { origin, plainOrigin, port, dataDir, get } = service;

suite('the plain listener', () => {
  test('sends readers of pages to HTTPS, with path and query as they came', async () => {
    const requestRedirect = async (path: string, method = 'GET') => {
      const answer = await fetch(plainOrigin + path, { method, redirect: 'manual' });
      return [answer.status, answer.headers.get('location')];
    };
    assert.deepEqual(await requestRedirect('/'), [308, `${origin}/`]);
    assert.deepEqual(await requestRedirect('/', 'HEAD'), [308, `${origin}/`]);
    assert.deepEqual(await requestRedirect('/auth.md?x=%20y'), [308, `${origin}/auth.md?x=%20y`]);
    assert.deepEqual(await requestRedirect('/.well-known/api-catalog'), [
      308,
      `${origin}/.well-known/api-catalog`,
    ]);
    assert.deepEqual(await requestRedirect('//elsewhere.example/x'), [308, `${origin}//elsewhere.example/x`]);
  });

  test('refuses whatever could carry a credential', async () => {
    const assertRefused = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(plainOrigin + path, { redirect: 'manual', ...init });
      const { code } = (await answer.json()) as { code: string };
      assert.deepEqual(
        [answer.status, code, answer.headers.get('location')],
        [403, 'https_required', null],
        path,
      );
      assert.equal(answer.headers.get('strict-transport-security'), null);
    };
    await assertRefused('/api/health');
    await assertRefused('/api');
    await assertRefused('/%61pi/health');
    await assertRefused('/oauth2/token');
    await assertRefused('/hcgi/platform/api/oauth2/revoke');
    await assertRefused('/agents/registrations/canary');
    await assertRefused('/', { method: 'POST', body: 'x' });
    await assertRefused('/', { method: 'DELETE' });
    await assertRefused('/', { headers: { authorization: 'Bearer canary' } });
    await assertRefused('/%zz');
  });

  test('answers a request target that is no path without echoing it', async () => {
    const plainPort = Number(new URL(plainOrigin).port);
    const raw = await exchangeRawBytes(plainPort, 'tcp', 'GET http://elsewhere.example/ HTTP/1.1\r\n\r\n');
    assert.match(raw, /^HTTP\/1\.1 403 /);
    assert.ok(!raw.includes('elsewhere'));
  });

  test('can be switched off', async (t) => {
    const { readOutput } = await startServiceProcess(t, { HTTP_PORT: 'off' });
    assert.match(readOutput(), /HTTP +off/);
  });
});

suite('the secure listener', () => {
  test('answers on IPv4 and IPv6 loopback, with HSTS', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const client = await createHttpsClient(`https://${host}:${port}`, dataDir);
      const { status, headers } = await client('/api/health');
      assert.equal(status, 200, host);
      assert.match(headers['strict-transport-security'] ?? '', /^max-age=\d{8,}/);
    }
  });

  test('speaks TLS 1.2 and 1.3 and nothing older', async () => {
    assert.equal(await negotiateProtocol('TLSv1.3'), 'TLSv1.3');
    assert.equal(await negotiateProtocol('TLSv1.2'), 'TLSv1.2');
    await assert.rejects(negotiateProtocol('TLSv1.1'), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  });

  test('offers no CBC suite to an old client, but the others', async () => {
    for (const cipher of ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'ECDHE-ECDSA-AES128-SHA'])
      await assert.rejects(negotiateProtocol('TLSv1.2', cipher), {
        code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      });
    for (const cipher of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'])
      assert.equal(await negotiateProtocol('TLSv1.2', cipher), 'TLSv1.2', cipher);
  });

  test('presents a P-256 certificate for localhost, 127.0.0.1 and ::1', async () => {
    const certificate = await new Promise((resolve) => {
      const socket = connect({ port, host: 'localhost', rejectUnauthorized: false }, () => {
        const { subjectaltname, asn1Curve } = socket.getPeerCertificate();
        resolve([subjectaltname, asn1Curve]);
        socket.destroy();
      });
    });
    assert.deepEqual(certificate, [
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
      'prime256v1',
    ]);
  });

  test('does not answer plain HTTP on its port', async () => {
    assert.equal(await exchangeRawBytes(port, 'tcp', 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'), '');
    assert.equal((await get('/api/health')).status, 200);
  });
});

suite('behind a TLS proxy', () => {
  let proxied = 0;
  before(async () => {
    [proxied = 0] = await findFreePorts(1);
    const env = { PORT: String(proxied), TLS: 'proxy', HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' };
    const program = startOffice(cleanUp, ['serve'], {
      ...env,
      DATA_DIR: await createDataFolder(cleanUp),
    });
    await waitForProgramOutput(program, 'is ready.');
  });

  const ask = async (headers: Record<string, string>, localAddress = '127.0.0.1') => {
    const address = `http://127.0.0.1:${proxied}/api/health`;
    const answer = await exchange(request(address, { headers, localAddress }));
    const { code } = JSON.parse(await readText(answer)) as { code?: string };
    return [answer.statusCode, code];
  };

  test('a request that reached the proxy over HTTPS is served, any other refused', async () => {
    assert.deepEqual(await ask({ 'x-forwarded-proto': 'https' }), [200, undefined]);
    for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'https, http' }])
      assert.deepEqual(await ask(headers), [403, 'https_required']);
  });

  test('the word of a stranger is not taken for the proxy’s', async () => {
    assert.deepEqual(await ask({ 'x-forwarded-proto': 'https' }, '127.0.0.2'), [403, 'https_required']);
  });
});

function negotiateProtocol(
  version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3',
  suites = 'DEFAULT',
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        port,
        host: 'localhost',
        rejectUnauthorized: false,
        minVersion: version,
        maxVersion: version,
        // Otherwise this client would refuse the old version by itself.
        ciphers: `${suites}@SECLEVEL=0`,
      },
      () => {
        resolve(socket.getProtocol());
        socket.destroy();
      },
    ).once('error', reject);
  });
}
