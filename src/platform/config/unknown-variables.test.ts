import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { listConfigMistakes, listMistakenNames } from '#test/config-mistakes.ts';
import { readConfig } from './config.ts';

test('a slip in a name is reported together with the name that was meant', () => {
  for (const [slip, meant] of [
    ['DESK_RECIPIENT', 'DESK_RECIPIENTS'],
    ['DESK_RECEIPIENTS', 'DESK_RECIPIENTS'],
    ['STRIPE_SECRETKEY', 'STRIPE_SECRET_KEY'],
    ['STRIPE_SECRET_KEY_FLIE', 'STRIPE_SECRET_KEY_FILE'],
    ['DATADIR', 'DATA_DIR'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['SMPT_URL', 'SMTP_URL'],
    ['SITE_URLS', 'SITE_URL'],
    ['MASTER_KEYS', 'MASTER_KEY'],
    ['data_dir', 'DATA_DIR'],
  ] as const)
    assert.deepEqual(listConfigMistakes({ [slip]: 'x' }), [
      `${slip}: no such variable; did you mean ${meant}?`,
    ]);
  assert.deepEqual(listMistakenNames({ PORT: 'x', SMPT_URL: 'x' }), ['PORT', 'SMPT_URL']);
});

test('a variable of an earlier version is answered with what takes its place', async (t) => {
  const envFile = join(await createTemporaryFolder(t), '.env');
  await writeFile(envFile, 'SMTP_CA_FILE=/mail.pem\nBACKUP_RECIPIENT=\n');
  assert.deepEqual(listConfigMistakes({ DESK_MAIL: 'desk@example.org' }, envFile), [
    'SMTP_CA_FILE: no longer a variable; add ?ca=FILE to SMTP_URL',
    'DESK_MAIL: no longer a variable; MAINTAINER_EMAIL gets these e-mails',
  ]);
});

/** What shells, systemd, containers, clusters, npm, and libraries set or read. */
const FOREIGN = `PATH HOME USER LOGNAME SHELL PWD OLDPWD LANG LC_ALL TERM TZ MAIL HOSTNAME HOSTTYPE HOSTS PORTS COST POST EDITOR
  _ SHLVL TMPDIR COLUMNS LINES NO_COLOR INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID MAINPID NOTIFY_SOCKET WATCHDOG_USEC
  STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY CREDENTIALS_DIRECTORY MEMORY_PRESSURE_WATCH LISTEN_FDS XDG_DATA_DIRS
  XDG_DATA_HOME XDG_RUNTIME_DIR SSH_AUTH_SOCK SSH_CLIENT SUDO_USER SUDO_COMMAND NODE_OPTIONS NODE_PATH NODE_VERSION
  NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE NODE_NO_WARNINGS NODE npm_config_user_agent npm_lifecycle_event npm_execpath
  npm_package_name INIT_CWD SSL_CERT_FILE SSL_CERT_DIR SSL_KEY_FILE OPENSSL_CONF HTTP_PROXY HTTPS_PROXY http_proxy NO_PROXY
  HTTP_HOST APP_PATH APP_URL BASE_PATH PUBLIC_URL DATABASE_NAME DATABASE_HOST PGHOST PGSSLROOTCERT POSTGRES_PASSWORD
  KUBERNETES_SERVICE_HOST KUBERNETES_PORT OFFICE_PORT OFFICE_SERVICE_HOST SMTP_HOST SMTP_USER MAILTO MAIL_HOST
  STRIPE_DEVICE_NAME STRIPE_API_KEY STRIPE_ACCOUNT CI TEST_SCALE CHROME_PATH OFFICE_ENV_FILE`;

test('no name of another program stops the start', () => {
  const environment = Object.fromEntries(FOREIGN.split(/\s+/).map((name) => [name, 'x']));
  assert.deepEqual(listConfigMistakes(environment), []);
  assert.deepEqual(listConfigMistakes({ ['X'.repeat(100_000)]: 'x', '': 'x', DATADIR: ' ' }), []);
});

test('a name close to that of a variable that is set belongs to another program', () => {
  assert.deepEqual(listConfigMistakes({ DATA_DIR: '/srv', DATADIR: '/var/lib/mysql' }), []);
});

test('in the file every name must be known, unless its value is empty', async (t) => {
  const path = join(await createTemporaryFolder(t), '.env');
  await writeFile(path, '# ours\nPORT=9443\nUNHEARD=1\nDATADIR=/srv\nDATA_DIR=/srv\nOLD=\n');
  assert.deepEqual(listConfigMistakes({}, path), [
    'DATADIR: no such variable; did you mean DATA_DIR?',
    'UNHEARD: no such variable',
  ]);
  await writeFile(path, 'PORT=9443\nSITE_NAME=From the file\n');
  const { listen, site } = readConfig({ PORT: '10443' }, path);
  assert.deepEqual([listen.port, site.name], [10_443, 'From the file']);
});

test('a file that cannot be read is a mistake like any other', () => {
  assert.deepEqual(listConfigMistakes({ PORT: 'x' }, '/no/such/.env'), [
    'PORT: expected a whole number from 1 to 65535',
    'OFFICE_ENV_FILE: expected a file that this user may read (/no/such/.env: ENOENT)',
  ]);
});
