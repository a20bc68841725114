/** A person on the permissions page, in a browser without scripts. */
import { type OAuthTestApp, readSignInCode } from './oauth-test-app.ts';
import type { ScriptlessBrowser } from './scriptless-browser.ts';

type MailApp = Pick<OAuthTestApp, 'openBrowser' | 'readEmails'>;

export async function openPermissionsByEmail(app: MailApp, address: string): Promise<ScriptlessBrowser> {
  const browser = app.openBrowser();
  await browser.open('/permissions');
  await browser.submitForm('address', { address });
  const emails = (await app.readEmails()).filter(({ to }) => to === address);
  await browser.submitForm('code', { code: readSignInCode(emails.at(-1)) });
  return browser;
}

export async function openPermissionsByWords(app: MailApp, words: string): Promise<ScriptlessBrowser> {
  const browser = app.openBrowser();
  await browser.open('/permissions');
  await browser.submitForm('words', { words });
  return browser;
}
