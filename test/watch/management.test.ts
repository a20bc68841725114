/** The management listener: what it answers, to whom, and what its metrics never include. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import test, { after, suite } from 'node:test';
import { ConfigError, readConfig } from '#platform/config/config.ts';
import { VERSION } from '#platform/config/version.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { findFreePorts } from '#test/ports.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import { startOffice, startServiceProcess } from '#test/service-process.ts';

const CANARY = 'canary-5d1b7';

suite('a running service', async () => {
  const cleanUp = withReverseCleanup({ after });
  const [port = 0] = await findFreePorts(1);
  const service = await startServiceProcess(cleanUp, { METRICS_PORT: String(port) });
  const origin = `http://127.0.0.1:${port}`;
  const sendRaw = (text: string) => exchangeRawBytes(port, 'tcp', text);

  test('health and readiness are answered, readiness with its checks and the version', async () => {
    const health = await fetch(`${origin}/health`);
    assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }]);
    const ready = await fetch(`${origin}/ready`);
    const report = (await ready.json()) as { checks: Record<string, unknown>[] };
    assert.deepEqual(
      [ready.status, { ...report, checks: [] }],
      [200, { status: 'ready', checks: [], dead_letters: 0, version: VERSION }],
    );
    for (const { ok, age_seconds: age } of report.checks)
      assert.deepEqual([ok, typeof age], [true, 'number']);
    assert.ok(report.checks.some(({ name }) => name === 'writes'));
  });

  test('a probe of HTTP/1.0 without a Host is answered, as is one on ::1', async () => {
    for (const path of ['/health', '/ready', '/metrics'])
      assert.match(await sendRaw(`GET ${path} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /, path);
    assert.match(await sendRaw('GET /ready HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 200 /);
    const ipv6 = await fetch(`http://[::1]:${port}/health`).catch((error: Error) => error.cause);
    // Only where the machine has IPv6.
    if (ipv6 instanceof Response) assert.equal(ipv6.status, 200);
    else assert.match(String(ipv6), /EADDRNOTAVAIL|EAFNOSUPPORT/);
  });

  test('a request for another name is refused, so that no page in a browser can read', async () => {
    for (const hosts of [
      'evil.example',
      '127.0.0.1.evil.example',
      `localhost:${port}\r\nhost: evil.example`,
      'a@localhost',
    ])
      assert.match(
        await sendRaw(`GET /metrics HTTP/1.1\r\nhost: ${hosts}\r\n\r\n`),
        /^HTTP\/1\.1 (403|400) /,
        hosts,
      );
    for (const host of [
      'localhost',
      `LOCALHOST:${port}`,
      '127.0.0.1',
      '127.0.0.53:1',
      '[::1]',
      `[::1]:${port}`,
    ])
      assert.match(await sendRaw(`GET /health HTTP/1.1\r\nhost: ${host}\r\n\r\n`), /^HTTP\/1\.1 200 /, host);
    const { headers } = await fetch(`${origin}/metrics`, { headers: { origin: 'https://evil.example' } });
    assert.equal(headers.get('access-control-allow-origin'), null);
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
  });

  test('other paths are 404, other methods 405, and headers have a limit', async () => {
    for (const path of ['/', '/api/health', '/metrics/', '/constructor', '/%6detrics'])
      assert.equal((await fetch(origin + path)).status, 404, path);
    const refused = await fetch(`${origin}/ready`, { method: 'POST', body: CANARY });
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
    const head = await fetch(`${origin}/ready`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.match(
      await sendRaw(`GET /health HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
      /^HTTP\/1\.1 431 /,
    );
  });

  test('the public listeners have no metrics, and no version in their readiness', async () => {
    for (const path of ['/metrics', '/api/metrics'])
      assert.equal((await service.get(path)).status, 404, path);
    assert.deepEqual((await service.get('/api/ready')).json, { status: 'ready' });
    const plain = await fetch(`${service.plainOrigin}/metrics`, { redirect: 'manual' });
    assert.equal(plain.status, 308);
  });

  test('requests are counted by route, and nothing that a stranger sends becomes a label', async () => {
    for (const path of [
      `/${CANARY}`,
      `/problems/${CANARY}`,
      `/inquiry?session_id=${CANARY}`,
      `/%zz${CANARY}`,
    ])
      await service.get(path);
    await service.get(`/${CANARY}`, { method: 'PROPFIND' });
    await service.get('/api/pricing');
    const text = await (await fetch(`${origin}/metrics`)).text();
    assert.ok(!text.includes(CANARY));
    assert.match(text, /^office_requests_total\{method="GET",route="unknown",status="404"\} \d+$/m);
    assert.match(text, /^office_requests_total\{method="other",route="unknown",status="\d+"\} 1$/m);
    assert.match(text, /^office_requests_total\{method="GET",route="\/problems\/:code",status="404"\} 1$/m);
    assert.match(text, /^office_request_seconds_count\{route="\/api\/pricing"\} 1$/m);
    assert.match(text, new RegExp(`^office_build_info\\{version="${VERSION}"\\} 1$`, 'm'));
    const labels = new Set([...text.matchAll(/(\w+)="/g)].map(([, label]) => label));
    assert.deepEqual(
      [...labels].filter((label) => !KNOWN_LABELS.has(label ?? '')),
      [],
    );
  });

  test('every metric that an alert rule names exists, and every rule says what to do', async () => {
    const text = await (await fetch(`${origin}/metrics`)).text();
    const names = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const rules = readFileSync('deploy/alerts.yml', 'utf8').split('\n      - alert: ').slice(1);
    assert.ok(rules.length > 15);
    for (const rule of rules) {
      const expression = /^ {8}expr: (.+)$/m.exec(rule)?.[1] ?? '';
      const named = expression.match(/\b(?:office|process|nodejs)_\w+/g) ?? [];
      assert.ok(named.length > 0, rule);
      for (const name of named)
        assert.ok(names.has(name) || names.has(name.replace(/_(?:count|sum|bucket)$/, '')), name);
      for (const [, event = ''] of expression.matchAll(/event="(\w+)"/g))
        assert.ok(text.includes(`office_log_events_total{event="${event}"}`), event);
      for (const field of ['labels: { severity: (?:page|notice) }', '  summary: .+', '  action: .+'])
        assert.match(rule, new RegExp(`^ {8}${field}$`, 'm'), rule);
    }
  });

  test('the stop closes the listener', async () => {
    await once((await import('node:net')).connect(port, '127.0.0.1'), 'connect');
    service.process.kill('SIGTERM');
    assert.equal(await service.ended, 0);
    await assert.rejects(fetch(`${origin}/health`));
  });
});

const KNOWN_LABELS = new Set(
  'method route status le event check phase state part kind gauge version type space major minor patch outcome'.split(
    ' ',
  ),
);

test('a port that is taken ends the start with one clear line', async (t) => {
  const [port = 0, metricsPort = 0] = await findFreePorts(2);
  const other = createServer().listen(metricsPort, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const program = startOffice(t, ['serve'], {
    PORT: String(port),
    HTTP_PORT: 'off',
    METRICS_PORT: String(metricsPort),
    DATA_DIR: await createDataFolder(t),
  });
  assert.equal(await program.ended, 69, program.readOutput());
  assert.match(
    program.readOutput(),
    new RegExp(
      `^Cannot start: 127\\.0\\.0\\.1 port ${metricsPort} is in use by another program: .* set another METRICS_PORT$`,
      'm',
    ),
  );
});

test('the port is off unless it is set, and must differ from the public ones', () => {
  assert.equal(readConfig({}).listen.metricsPort, null);
  assert.equal(readConfig({ METRICS_PORT: '9464' }).listen.metricsPort, 9464);
  for (const METRICS_PORT of ['8443', '8080', '0', 'x', '70000', '-1'])
    assert.throws(() => readConfig({ METRICS_PORT }), ConfigError, METRICS_PORT);
});
