/** Every public address of the service; built from the configuration alone, never from a request. */
import type { Config } from './config.ts';

export type Addresses = ReturnType<typeof publicAddresses>;

export function publicAddresses({ site }: Pick<Config, 'site'>) {
  const credentialPaths = [site.apiPath, '/oauth2', '/hcgi'];
  return Object.freeze({
    site: site.url,
    apiPath: site.apiPath,
    api: site.url + site.apiPath,
    /** Where programs send credentials: never redirected from plain HTTP, never answered with a page. */
    isForPrograms: (path: string) =>
      credentialPaths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
    paymentCancelled: `${site.url}/payment-cancelled`,
    /** Joined as text: a URL builder would encode the braces that the provider looks for. */
    inquiryAfterPayment: (tier: string) =>
      `${site.url}/inquiry?tier=${encodeURIComponent(tier)}&session_id={CHECKOUT_SESSION_ID}`,
    problem: (code: string) => `${site.url}/problems/${code}`,
  });
}
