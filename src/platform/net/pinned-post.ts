/** Posts to an https address through one IP address: no redirect is followed, no proxy asked, no answer read. */
import { request as sendSecureRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
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
  return await new Promise<number>((resolve, reject) => {
    const sent = sendSecureRequest(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // A connection for this request alone; the shared agent could be told of a proxy by the environment.
      agent: false,
      lookup: createPinnedLookup(address),
      // The environment could turn it off.
      rejectUnauthorized: true,
      signal: AbortSignal.timeout(timeoutMs),
    });
    sent.on('error', reject);
    sent.once('response', (answer) => {
      resolve(answer.statusCode ?? 0);
      // Whatever else it says is not read; that it was cut off is no news.
      answer.on('error', () => undefined);
      sent.destroy();
    });
    // Node has no response and no error for an answer that changes the protocol.
    sent.once('upgrade', ({ statusCode = 0 }, socket) => {
      resolve(statusCode);
      socket.destroy();
    });
    // Whatever ends the connection ends the wait; after an answer it is no news.
    sent.once('close', () => reject(new Error('The connection was closed without an answer.')));
    sent.end(body);
  });
}

function createPinnedLookup(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_host, options, answer) => {
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
}
