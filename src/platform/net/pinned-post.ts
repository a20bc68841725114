/** Posts to an https address through one IP address: no redirect is followed, no proxy asked, no answer read. */
import { request } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { exchange } from './http-exchange.ts';
import type { WebhookTarget } from './webhook-target.ts';

interface PinnedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything, from the connection to the first line of the answer. */
  readonly timeoutMs: number;
}

/** Returns the status of the answer. The certificate is checked against the name in the address, as for any client. */
export async function postPinned(
  { url, address }: WebhookTarget,
  { headers, body, timeoutMs }: PinnedPost,
): Promise<number> {
  const outgoing = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    // A connection for this request alone; the shared agent could be told of a proxy by the environment.
    agent: false,
    lookup: createPinnedLookup(address),
    // The environment could turn it off.
    rejectUnauthorized: true,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = await exchange(outgoing, body);
  // The rest is not read; that it was cut off is no news.
  answer.on('error', () => undefined);
  outgoing.destroy();
  return answer.statusCode ?? 0;
}

function createPinnedLookup(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_host, options, answer) => {
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
}
