/** Sends requests from the worker to the service, with or without retries. */
import { UserFacingError } from './fault.ts';

export interface ServiceRequest {
  readonly method: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** If set, requests are retried for as long as there is no connection. */
  readonly onWaiting?: (() => void) | undefined;
}

const MAX_ATTEMPTS = 6;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** Browsers do not notice every lost or restored connection. */
const MAX_WAIT_MS = 10_000;
const TIMEOUT_MS = 120_000;
/** Enough for three pieces of a file at once on a slow phone. */
const PIECE_TIMEOUT_MS = 3 * TIMEOUT_MS;

export async function sendRequest(path: string, request: ServiceRequest): Promise<Response> {
  const response = await tryFetch(path, request);
  if (response instanceof Response && response.ok) return response;
  throw await readResponseError(response);
}

/** Only for idempotent requests. */
export async function sendRequestWithRetry(path: string, request: ServiceRequest): Promise<Response> {
  let refusals = 0;
  for (let attempt = 1; ; attempt += 1) {
    const response = await tryFetch(path, request);
    if (response?.ok) return response;
    const isWaiting = request.onWaiting !== undefined && isUnreachable(response);
    if (!isWaiting) refusals += 1;
    if (refusals === MAX_ATTEMPTS || !isRetryable(response)) throw await readResponseError(response);
    if (isWaiting) request.onWaiting?.();
    await pause(computeRetryDelay(response, isWaiting ? attempt : refusals), request.signal);
  }
}

export function createJsonRequest(
  value: unknown,
): Pick<ServiceRequest, 'method' | 'body'> & { headers: Record<string, string> } {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Returns null if there was no response. */
async function tryFetch(
  path: string,
  { method, headers, body, signal }: ServiceRequest,
): Promise<Response | null> {
  // Not AbortSignal.any: browsers older than 2024 lack it.
  const timeout = new AbortController();
  const abortFetch = () => timeout.abort();
  const timer = setTimeout(abortFetch, typeof body === 'string' ? TIMEOUT_MS : PIECE_TIMEOUT_MS);
  signal?.addEventListener('abort', abortFetch);
  try {
    return await fetch(path, {
      method,
      headers: { accept: 'application/json', ...headers },
      body: body as BodyInit,
      redirect: 'error',
      signal: timeout.signal,
    });
  } catch {
    if (signal?.aborted) throw signal.reason;
    return null;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abortFetch);
  }
}

/** No response, or one from a proxy that got none. */
function isUnreachable(response: Response | null): boolean {
  return response === null || response.status === 502 || response.status === 504;
}

function isRetryable(response: Response | null): boolean {
  return response === null || response.status === 408 || response.status === 429 || response.status >= 500;
}

/** The service's Retry-After, or exponential backoff with jitter. */
function computeRetryDelay(response: Response | null, attempt: number): number {
  const retryAfter = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const backoff = FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  return retryAfter >= 0 ? Math.min(MAX_DELAY_MS, retryAfter) : Math.min(MAX_WAIT_MS, backoff);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const endPause = () => {
      clearTimeout(timer);
      removeEventListener('online', endPause);
      resolve();
    };
    const timer = setTimeout(endPause, ms);
    addEventListener('online', endPause);
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
      endPause();
    });
  });
}

/** Reads only the code of the problem details (RFC 9457), whose text is for programs. */
async function readResponseError(response: Response | null): Promise<UserFacingError> {
  const unreachable = new UserFacingError({ code: 'unreachable' });
  if (response === null) return unreachable;
  const problem: unknown = await response.json().catch(() => null);
  const { code, purged_on: day } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string') return unreachable;
  const purgedOn = typeof day === 'string' ? day : undefined;
  return new UserFacingError({ code, blame: response.status < 500 ? 'client' : 'server', purgedOn });
}
