/** E-mails are sent by SMTP, or written to a folder when no server is configured. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { readCatalogue } from '#language/language-file.ts';
import { english } from '#language/languages.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { createMailSender, removeOldMail } from '#platform/mail/mail.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { startSmtpServer } from './smtp-server.ts';

const email = {
  id: 'an-id',
  to: 'someone@example.com',
  subject: 'A subject',
  text: 'One line.\n.\nAnother: é.\n',
};

test('without a mail server each e-mail is a private file that a mail program opens', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  await createMailSender(readConfig({ DATA_DIR: dataDir }))(email);
  const [name = '', ...others] = await readdir(join(dataDir, 'mail'));
  assert.deepEqual(others, []);
  assert.match(name, /\.eml$/);
  const path = join(dataDir, 'mail', name);
  assert.equal((await stat(path)).mode & 0o077, 0);
  const text = await readFile(path, 'utf8');
  assert.match(text, /^From: Inquiry Office <maintainer@localhost>$/m);
  assert.match(text, /^To: someone@example.com$/m);
  assert.match(text, /^Subject: A subject$/m);
  assert.match(text, /^Auto-Submitted: auto-generated$/m);
});

test('no subject that a buyer may get tells what the e-mail is about', () => {
  const about = /code|código|sign|sesión|form|case|caso|answer|respuesta|inquir|consulta|pay|pag[oa]/i;
  for (const catalogue of [english, readCatalogue('es')])
    for (const [key, subject] of Object.entries(catalogue))
      if (/^(?:email|notice)\..*subject$/.test(key)) assert.doesNotMatch(subject, about, key);
});

test('e-mails that were saved as files are gone after a day', async (t) => {
  const config = readConfig({ DATA_DIR: await createTemporaryFolder(t) });
  await removeOldMail(config, Date.now());
  await createMailSender(config)(email);
  const listEmails = () => readdir(join(config.dataDir, 'mail'));
  await removeOldMail(config, Date.now() + DAY_MS - 60_000);
  assert.equal((await listEmails()).length, 1);
  await removeOldMail(config, Date.now() + DAY_MS + 1);
  assert.deepEqual(await listEmails(), []);
});

test('with a mail server the e-mail is sent to exactly one address', async (t) => {
  const smtp = await startSmtpServer(t);
  const env = {
    DATA_DIR: await createTemporaryFolder(t),
    SMTP_URL: smtp.url,
    MAIL_FROM: 'office@example.org',
  };
  await createMailSender(readConfig(env))({ ...email, to: 'a,b@example.com' });
  const [received, ...others] = smtp.received;
  assert.deepEqual(others, []);
  assert.equal(received?.to.length, 1);
  assert.match(received?.text ?? '', /^From: Inquiry Office <office@example.org>$/m);
  assert.match(received?.text ?? '', /^Auto-Submitted: auto-generated$/m);
});
