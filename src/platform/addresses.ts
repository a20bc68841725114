/** Every public address of the service; built from the configuration alone, never from a request. */
import type { Config } from './config.ts';

export type Addresses = ReturnType<typeof publicAddresses>;

export function publicAddresses({ site }: Pick<Config, 'site'>) {
  return Object.freeze({
    site: site.url,
    apiPath: site.apiPath,
    api: site.url + site.apiPath,
    /** Where programs send credentials: never redirected from plain HTTP. */
    credentialPaths: [site.apiPath, '/oauth2', '/hcgi'],
    paymentCancelled: `${site.url}/payment-cancelled`,
    /** Joined as text: a URL builder would encode the braces that the provider looks for. */
    inquiryAfterPayment: (tier: string) =>
      `${site.url}/inquiry?tier=${encodeURIComponent(tier)}&session_id={CHECKOUT_SESSION_ID}`,
    problem: (code: string) => `${site.url}/problems/${code}`,
  });
}
