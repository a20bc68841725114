import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { listConfigMistakes, listMistakenNames, production } from '#test/config-mistakes.ts';
import { readConfig } from './config.ts';
import { PROJECT_FOLDER } from './environment.ts';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

test('orders are kept for ten years unless told otherwise, and never for less than events about them arrive', () => {
  assert.equal(readConfig({}).ordersKeepDays, 3_650);
  assert.equal(readConfig({ ORDERS_KEEP_DAYS: '30' }).ordersKeepDays, 30);
  for (const days of ['29', '0', '-1', '1.5', 'ten', '36501', '1e3'])
    assert.deepEqual(listMistakenNames({ ORDERS_KEEP_DAYS: days }), ['ORDERS_KEEP_DAYS'], days);
});

test('an empty environment gives the documented defaults', () => {
  const config = readConfig({});
  assert.deepEqual(config.listen, { host: 'localhost', port: 8443, httpPort: 8080, metricsPort: null });
  assert.deepEqual(config.tls, { mode: 'self', files: null });
  const { url, apiPath, name, maintainer } = config.site;
  assert.deepEqual(
    [url, apiPath, name, maintainer],
    ['https://localhost:8443', '/api', 'Inquiry Office', 'maintainer@localhost'],
  );
  assert.deepEqual([config.rateLimit, config.production], [true, false]);
});

test('the configuration is frozen at every depth', () => {
  const config = readConfig(production);
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.site) && Object.isFrozen(config.seal.desk));
});

test('all mistakes are reported together, each with what was expected and without the value', () => {
  const wrong = {
    PORT: '99999',
    HTTP_PORT: 'maybe',
    TLS: 'perhaps',
    MAINTAINER_EMAIL: 'not an address',
    SITE_URL: 'http://secret-value.example/path',
    API_PATH: 'api/',
    MASTER_KEY: 'secret-value',
    DATABASE_URL: 'mysql://secret-value',
    DESK_RECIPIENTS: 'age1secret-value',
    RATE_LIMIT: 'sometimes',
  };
  const mistakes = listConfigMistakes(wrong);
  assert.deepEqual(listMistakenNames(wrong), Object.keys(wrong));
  assert.ok(mistakes.every((mistake) => /: expected \S/.test(mistake)));
  assert.ok(!mistakes.join().includes('secret-value'));
});

test('a secret may come from the file that X_FILE names', async (t) => {
  const file = join(await createTemporaryFolder(t), 'master.key');
  await writeFile(file, `${MASTER_KEY}\n`);
  assert.equal(readConfig({ MASTER_KEY_FILE: file }).store.masterKey, MASTER_KEY);
  assert.match(
    listConfigMistakes({ MASTER_KEY_FILE: `${file}.missing` }).join(),
    /MASTER_KEY_FILE: .*ENOENT/,
  );
  assert.match(listConfigMistakes({ MASTER_KEY_FILE: file, MASTER_KEY }).join(), /not both/);
  await writeFile(file, '\n');
  assert.match(listConfigMistakes({ MASTER_KEY_FILE: file }).join(), /not empty/);
});

test('the master key is one key; for another one the mistake names the command', () => {
  const other = Buffer.alloc(32, 8).toString('base64');
  for (const text of [`${MASTER_KEY},${other}`, `${MASTER_KEY},`, `${MASTER_KEY} ${other}`, ','])
    assert.match(
      listConfigMistakes({ MASTER_KEY: text }).join(),
      /^MASTER_KEY: expected one key .* keys master change/,
      text,
    );
});

test('an empty variable counts as absent', () => {
  assert.equal(readConfig({ PORT: '', SITE_NAME: ' ' }).site.name, 'Inquiry Office');
});

test('a network of proxies that is half of the internet is refused', () => {
  const mapped = ['::ffff:0:0/96', '0:0:0:0:0:ffff:0:0/96'];
  for (const wide of [
    '0.0.0.0/0',
    '::/0',
    '128.0.0.0/1',
    '10.0.0.1, 0.0.0.0/0',
    ...mapped,
    '2000::/3',
    '2000::/7',
  ])
    assert.match(
      listConfigMistakes({ ...production, TRUSTED_PROXIES: wide }).join(),
      /^TRUSTED_PROXIES: .*internet$/,
    );
  for (const narrow of ['10.0.0.0/8', 'fc00::/7', '::ffff:10.0.0.0/104', '192.0.2.1'])
    assert.deepEqual(listConfigMistakes({ ...production, TRUSTED_PROXIES: narrow }), []);
});

test('the desk is reached from this machine alone unless networks are named, and in production from no wide ones', () => {
  assert.deepEqual(readConfig({}).deskNetworks, ['127.0.0.0/8', '::1']);
  assert.deepEqual(readConfig({ DESK_NETWORKS: 'off' }).deskNetworks, []);
  assert.deepEqual(readConfig({ DESK_NETWORKS: '10.8.0.0/24, fd00::/64' }).deskNetworks, [
    '10.8.0.0/24',
    'fd00::/64',
  ]);
  for (const wrong of ['vpn', '10.8.0.0/33', 'off,10.8.0.1', '10.8.0.0/24/1', '*'])
    assert.deepEqual(listMistakenNames({ DESK_NETWORKS: wrong }), ['DESK_NETWORKS'], wrong);
  for (const wide of ['0.0.0.0/0', '::/0', '10.8.0.0/24,128.0.0.0/1'])
    assert.match(
      listConfigMistakes({ ...production, DESK_NETWORKS: wide }).join(),
      /^DESK_NETWORKS: .*internet, in production/,
    );
  assert.deepEqual(listConfigMistakes({ ...production, DESK_NETWORKS: '10.0.0.0/8' }), []);
});

test('a database on another machine needs TLS, or the word that it does not', () => {
  const listFor = (DATABASE_URL: string) => listMistakenNames({ DATABASE_URL, MASTER_KEY });
  const silent = ['', '?sslmode=', '?sslmode=prefer', '?application_name=x'].map(
    (options) => `10.0.0.2/office${options}`,
  );
  for (const url of ['db.example/office', ...silent, 'localhost/office?host=db.example'])
    assert.deepEqual(listFor(`postgres://user@${url}`), ['DATABASE_URL'], url);
  const told = ['verify-full', 'disable'].map((mode) => `db.example/office?sslmode=${mode}`);
  for (const url of [...told, 'localhost/office', '127.0.0.1:5433/office', '[::1]/office'])
    assert.deepEqual(listFor(`postgres://user@${url}`), [], url);
});

test('PostgreSQL needs a master key that all instances share', () => {
  const DATABASE_URL = 'postgres://user:word@db.example/office?sslmode=verify-full';
  assert.match(listConfigMistakes({ DATABASE_URL }).join(), /^MASTER_KEY: /);
  assert.equal(readConfig({ DATABASE_URL, MASTER_KEY }).store.databaseUrl, DATABASE_URL);
});

test('behind a proxy the plain listener is off by default, and the proxies must be named', () => {
  assert.equal(readConfig(production).listen.httpPort, null);
  assert.equal(readConfig({ ...production, HTTP_PORT: '8080' }).listen.httpPort, 8080);
  for (const wrong of ['proxy.example', '10.0.0.0/99', '::1/x', '10.0.0.1/8/8'])
    assert.match(listConfigMistakes({ TLS: 'proxy', TRUSTED_PROXIES: wrong }).join(), /TRUSTED_PROXIES/);
});

test('payments need a key and webhook secrets; several secrets are accepted during a rotation', () => {
  const { payments } = readConfig({
    ...production,
    STRIPE_SECRET_KEY: 'rk_live_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_old, whsec_new',
    SANDBOX: 'off',
  });
  assert.deepEqual(payments, {
    key: 'rk_live_x',
    webhookSecrets: ['whsec_old', 'whsec_new'],
    apiUrl: null,
    sandbox: null,
    livemode: true,
  });
  // Without a key too, orders of production are of live money.
  assert.equal(readConfig({ STRIPE_SECRET_KEY: 'sk_test_x' }).payments.livemode, false);
  assert.equal(readConfig(production).payments.livemode, true);
});

test('the sandbox is on unless a key is set or NODE_ENV is production', () => {
  assert.deepEqual(readConfig({}).payments.sandbox, { port: 8480 });
  assert.equal(readConfig({ STRIPE_SECRET_KEY: 'sk_test_x' }).payments.sandbox, null);
  assert.deepEqual(readConfig({ STRIPE_SECRET_KEY: 'sk_test_x', SANDBOX: 'on' }).payments.sandbox, {
    port: 8480,
  });
  assert.equal(readConfig(production).payments.sandbox, null);
});

test('a value that is almost right, or lacks what belongs to it, is reported and not replaced by the default', () => {
  for (const [wrong, mistake] of [
    [{ NODE_ENV: 'Production' }, /^NODE_ENV: expected development or test or production$/],
    [{ API_PATH: '/a/../b' }, /^API_PATH:/],
    [{ DATABASE_URL: 'postgres:office', MASTER_KEY }, /^DATABASE_URL:/],
    [{ DESK_RECIPIENTS: 'age1pq1qqq' }, /^DESK_RECIPIENTS:/],
    [{ TRUSTED_PROXIES: '10.0.0.1' }, /^TRUSTED_PROXIES:/],
    [{ TLS: 'proxy' }, /^TRUSTED_PROXIES:/],
    [{ TLS_CERT_FILE: '/x' }, /^TLS_KEY_FILE:/],
    [{ TLS_KEY_FILE: '/x' }, /^TLS_CERT_FILE:/],
    [{ STRIPE_SECRET_KEY: 'pk_live_x' }, /^STRIPE_SECRET_KEY:/],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_x,secret' }, /^STRIPE_WEBHOOK_SECRET:/],
  ] as const)
    assert.match(listConfigMistakes(wrong).join(), mistake);
});

test('the site address has the configured port, unless that is the standard one', () => {
  const readUrl = (env: Record<string, string>) => readConfig(env).site.url;
  assert.equal(readUrl({ PORT: '9000' }), 'https://localhost:9000');
  assert.equal(readUrl({ PORT: '443' }), 'https://localhost');
  assert.equal(readUrl({ SITE_URL: 'https://Inquiry.Example:443/' }), 'https://inquiry.example');
});

test('the site address has only a scheme, a host and a port', () => {
  for (const wrong of 'https://a.example/b https://a.example?b https://u:p@a.example ftp://a.example a'.split(
    ' ',
  ))
    assert.match(listConfigMistakes({ SITE_URL: wrong }).join(), /SITE_URL/, wrong);
});

test('SMTP needs a sender address; without SMTP neither is set', () => {
  assert.deepEqual(readConfig({}).mail, { smtpUrl: null, caFile: null, from: null });
  const smtp = { SMTP_URL: 'smtps://user:secret@mail.example:465', MAIL_FROM: 'office@example.org' };
  assert.equal(readConfig(smtp).mail.smtpUrl, smtp.SMTP_URL);
  const trusting = readConfig({ ...smtp, SMTP_URL: `${smtp.SMTP_URL}?ca=mail.pem` }).mail;
  assert.deepEqual([trusting.smtpUrl, trusting.caFile], [smtp.SMTP_URL, join(PROJECT_FOLDER, 'mail.pem')]);
  assert.deepEqual(listConfigMistakes({ SMTP_URL: smtp.SMTP_URL }), [
    'MAIL_FROM: expected an e-mail address when SMTP_URL is set',
  ]);
  for (const SMTP_URL of ['mail.example', 'http://mail.example', 'smtp://'])
    assert.match(listConfigMistakes({ ...smtp, SMTP_URL })[0] ?? '', /^SMTP_URL: expected smtp:/);
  assert.match(listConfigMistakes({ ...smtp, MAIL_FROM: 'not an address' })[0] ?? '', /^MAIL_FROM/);
});

test('webhooks reach this machine only where no other machine reaches the site', () => {
  assert.equal(readConfig({}).webhookLoopback, true);
  assert.equal(readConfig({ SITE_URL: 'https://staging.example' }).webhookLoopback, false);
  assert.equal(readConfig(production).webhookLoopback, false);
});

test('the ways of an answer are those that the operator names, and none by default', () => {
  assert.deepEqual(readConfig({}).contactWays, []);
  assert.deepEqual(readConfig({ CONTACT_WAYS: 'signal, email' }).contactWays, ['email', 'signal']);
  for (const ways of ['pigeon', 'email,pigeon', 'email,email', 'return_only'])
    assert.deepEqual(listMistakenNames({ CONTACT_WAYS: ways }), ['CONTACT_WAYS'], ways);
});

test('no host describes clients unless the operator names it, as an address has it', () => {
  assert.deepEqual(readConfig({}).clientDocumentHosts, []);
  const hosts = 'assistant.example, other.example:8443';
  assert.deepEqual(readConfig({ CLIENT_DOCUMENT_HOSTS: hosts }).clientDocumentHosts, hosts.split(', '));
  for (const host of 'https://a.example a.example/ A.example *.example a.example:443 a@b.example 127.1'.split(
    ' ',
  ))
    assert.deepEqual(listMistakenNames({ CLIENT_DOCUMENT_HOSTS: host }), ['CLIENT_DOCUMENT_HOSTS'], host);
});
