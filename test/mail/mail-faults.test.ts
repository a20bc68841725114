/** Each fault of the mail server is reported in one sentence, at the start as in each attempt. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { ConfigError, readConfig } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { checkMail, createMailSender } from '#platform/mail/mail.ts';
import { MailFault, toMailFault } from '#platform/mail/mail-fault.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';
import { type SmtpCertificate, startSmtpServer } from './smtp-server.ts';

const email = { id: 'an-id', to: 'someone@example.com', subject: 'A subject', text: 'A canary.\n' };

async function makeCertificate(name: string, from: number, to: number): Promise<SmtpCertificate> {
  const { generate } = await import('selfsigned');
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + from * DAY_MS),
    notAfterDate: new Date(Date.now() + to * DAY_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  return { key, cert };
}

/** Returns the sentence, which the check and an attempt to send must share. */
async function readSentence(env: Record<string, string>): Promise<string> {
  const config = readConfig({ MAIL_FROM: 'office@example.org', ...env });
  const sentence = await checkMail(config);
  await assert.rejects(createMailSender(config)(email), (error) => {
    assert.ok(error instanceof MailFault);
    assert.equal(error.message, sentence);
    return true;
  });
  return sentence ?? '';
}

test('a server that is away, unknown or refuses the login is told apart', async (t) => {
  const smtp = await startSmtpServer(t);
  const server = smtp.url.slice('smtp://'.length);
  smtp.refusingLogin = true;
  assert.equal(
    await readSentence({ SMTP_URL: `smtp://me:canary@${server}` }),
    `The mail server ${server} refuses the login (535): the user or password in SMTP_URL is wrong.`,
  );
  await smtp.leave();
  assert.equal(
    await readSentence({ SMTP_URL: smtp.url }),
    `The mail server ${server} refuses the connection: it is not running, or SMTP_URL has the wrong port.`,
  );
  assert.match(
    await readSentence({ SMTP_URL: 'smtp://mail.nowhere.invalid' }),
    /^The mail server mail\.nowhere\.invalid cannot be found: /,
  );
  await smtp.resume();
  assert.equal(await checkMail(readConfig({ SMTP_URL: smtp.url, MAIL_FROM: 'a@b.example' })), null);
  assert.equal(await checkMail(readConfig({})), null);
});

test('a refused recipient is told without the address', async (t) => {
  const smtp = await startSmtpServer(t);
  smtp.refusing = true;
  const config = readConfig({ SMTP_URL: smtp.url, MAIL_FROM: 'office@example.org' });
  await assert.rejects(createMailSender(config)(email), {
    name: 'MailFault',
    message: `The mail server ${smtp.url.slice('smtp://'.length)} does not take the recipient (451) now and asks for another try later.`,
  });
});

test('a certificate that is self-made, expired or for another name is a sentence, and one in a file is trusted', async (t) => {
  const folder = await createTemporaryFolder(t);
  const startWith = async (certificate: SmtpCertificate) => {
    const { url, received } = await startSmtpServer(t, certificate);
    const caFile = join(folder, 'mail.pem');
    await writeFile(caFile, certificate.cert);
    return { url: url.replace('127.0.0.1', 'localhost'), received, caFile };
  };
  const selfMade = await startWith(await makeCertificate('localhost', -1, 1));
  assert.match(
    await readSentence({ SMTP_URL: selfMade.url }),
    /^The mail server localhost:\d+ shows a certificate that no known authority has signed; if the server is yours, put its certificate in a file and name the file in SMTP_URL: \?ca=FILE\.$/,
  );
  const trusting = { SMTP_URL: `${selfMade.url}?ca=${selfMade.caFile}`, MAIL_FROM: 'office@example.org' };
  assert.equal(await checkMail(readConfig(trusting)), null);
  await createMailSender(readConfig(trusting))(email);
  assert.equal(selfMade.received.length, 1);

  const foreign = await startWith(await makeCertificate('mail.example.org', -1, 1));
  const trusted = { SMTP_URL: `${foreign.url}?ca=${foreign.caFile}` };
  assert.match(await readSentence(trusted), /certificate for another name \(mail\.example\.org\)/);
  const named = { ...trusted, SMTP_URL: `${trusted.SMTP_URL}&tls.servername=mail.example.org` };
  assert.equal(await checkMail(readConfig({ ...named, MAIL_FROM: 'office@example.org' })), null);

  const expired = await startWith(await makeCertificate('localhost', -3, -1));
  assert.match(
    await readSentence({ SMTP_URL: `${expired.url}?ca=${expired.caFile}` }),
    /shows a certificate that has expired\.$/,
  );
  assert.equal(
    await readSentence({ SMTP_URL: `${expired.url}?ca=/none.pem` }),
    'The certificates of SMTP_URL (?ca=/none.pem) cannot be read (ENOENT).',
  );
});

test('faults that no local server shows have their sentence too', () => {
  const describe = (parts: object) => toMailFault(Object.assign(new Error('canary'), parts), 'm:25').message;
  assert.match(describe({ code: 'ETLS' }), /offers no encryption \(STARTTLS\)/);
  assert.match(describe({ code: 'EENVELOPE', responseCode: 530, command: 'MAIL FROM' }), /wants a login/);
  assert.match(
    describe({ code: 'EMESSAGE', responseCode: 554, command: 'DATA' }),
    /refuses the e-mail \(554\)/,
  );
  assert.match(
    describe({ code: 'ESOCKET', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }),
    /smtps:\/\/ is for port 465/,
  );
  assert.match(
    describe({
      originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID',
      cert: { subjectaltname: 'DNS:\u001b[31m, IP:1' },
    }),
    /for another name; use/,
  );
  assert.equal(describe({ code: 'EWEIRD' }), 'The mail server m:25 could not be used (EWEIRD).');
  assert.equal(toMailFault(null, 'm:25').message, 'The mail server m:25 could not be used (unknown fault).');
});

test('no option of SMTP_URL gives up encryption or the check of a certificate on another machine', () => {
  const readUrl = (url: string) => readConfig({ SMTP_URL: url, MAIL_FROM: 'a@b.example' });
  for (const option of ['tls.rejectUnauthorized=false', 'ignoreTLS=true', 'requireTLS=false', 'secure=false'])
    assert.throws(() => readUrl(`smtp://mail.example.org?${option}`), ConfigError, option);
  readUrl('smtp://localhost?tls.rejectUnauthorized=false');
  readUrl('smtp://127.0.0.1:2525?ignoreTLS=true');
  readUrl('smtps://u:p@mail.example.org?tls.servername=other.example.org');
  assert.throws(() => readUrl('smtp://localhost?requireTLS=false'), ConfigError);
});

test('the service starts without its mail server, and its report and log say why it does not work', async (t) => {
  const env = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'office@example.org' };
  const service = await startServiceProcess(t, env);
  const sentence =
    'The mail server 127.0.0.1:1 refuses the connection: it is not running, or SMTP_URL has the wrong port.';
  await waitForProgramOutput(service, 'mail_not_working');
  assert.ok(service.readOutput().includes(`"event":"mail_not_working","reason":"${sentence}"`));
  assert.ok(service.readOutput().includes(`NOT WORKING. ${sentence} E-mails are waiting.`));
  assert.equal((await service.get('/api/health')).status, 200);
});
