/** Requests to an https address at one given IP address, without redirects or proxies. */
import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { readBounded } from './bounded-bytes.ts';
import { exchange } from './http-exchange.ts';
import type { WebhookTarget } from './webhook-target.ts';

interface PinnedRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** For everything, from connecting to the last byte of the answer that is read. */
  readonly timeoutMs: number;
}

/** Returns the status of the answer and reads nothing else of it. */
export async function postPinned(
  target: WebhookTarget,
  { body, headers, ...options }: PinnedRequest & { readonly body: string },
): Promise<number> {
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = openRequest(target, 'POST', { ...options, headers: { ...headers, ...length } });
  const answer = await exchange(outgoing, body);
  // The rest is not read, so the error of cutting it off is expected.
  answer.on('error', () => undefined);
  outgoing.destroy();
  return answer.statusCode ?? 0;
}

/** The body is null if it is longer than allowed. */
export async function getPinned(
  target: WebhookTarget,
  { maxBytes, ...options }: PinnedRequest & { readonly maxBytes: number },
) {
  const outgoing = openRequest(target, 'GET', options);
  const answer = await exchange(outgoing);
  const { statusCode: status = 0, headers } = answer;
  try {
    return { status, headers, body: await readBounded(answer, maxBytes) };
  } finally {
    outgoing.destroy();
  }
}

/** The certificate is checked against the name in the address, as for any client. */
function openRequest(
  { url, address }: WebhookTarget,
  method: 'GET' | 'POST',
  { headers, timeoutMs }: PinnedRequest,
): ClientRequest {
  return request(url, {
    method,
    headers: { 'user-agent': 'inquiry-office', ...headers },
    // Uses a separate connection: the environment could give the shared agent a proxy.
    agent: false,
    lookup: createPinnedLookup(address),
    // Set explicitly, because the environment could turn it off.
    rejectUnauthorized: true,
    signal: AbortSignal.timeout(timeoutMs),
  });
}

function createPinnedLookup(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_host, options, answer) => {
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
}
