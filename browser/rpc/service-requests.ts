/** Asking the service from the worker: one try, or as many as a bad connection needs. */
import { UserFacingError } from './fault.ts';

export interface ServiceRequest {
  readonly method: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal?: AbortSignal;
}

const TRIES = 6;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Enough for one piece of a file on the slowest of phones. */
const ANSWER_MS = 120_000;

const UNREACHABLE = {
  code: 'unreachable',
  sentence:
    'The service cannot be reached. Check your connection and try again; what you wrote is still here.',
} as const;

export async function sendRequest(path: string, request: ServiceRequest): Promise<Response> {
  const answer = await tryFetch(path, request);
  if (answer instanceof Response && answer.ok) return answer;
  throw await readResponseError(answer);
}

/** For what may arrive twice without harm. */
export async function sendRequestWithRetry(path: string, request: ServiceRequest): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const answer = await tryFetch(path, request);
    if (answer instanceof Response && answer.ok) return answer;
    if (tries === TRIES || !isRetryable(answer)) throw await readResponseError(answer);
    await pause(computeRetryDelay(answer, tries), request.signal);
  }
}

export function createJsonRequest(
  value: unknown,
): Pick<ServiceRequest, 'method' | 'body'> & { headers: Record<string, string> } {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Null where no answer came. */
async function tryFetch(
  path: string,
  { method, headers, body, signal }: ServiceRequest,
): Promise<Response | null> {
  // By hand: browsers older than 2024 cannot join two signals.
  const limit = new AbortController();
  const abortFetch = () => limit.abort();
  const timer = setTimeout(abortFetch, ANSWER_MS);
  signal?.addEventListener('abort', abortFetch);
  try {
    return await fetch(path, {
      method,
      headers: { accept: 'application/json', ...headers },
      body: body as BodyInit,
      redirect: 'error',
      signal: limit.signal,
    });
  } catch {
    if (signal?.aborted) throw signal.reason;
    return null;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abortFetch);
  }
}

function isRetryable(answer: Response | null): boolean {
  return answer === null || answer.status === 408 || answer.status === 429 || answer.status >= 500;
}

/** As long as the service asks for; otherwise longer each time, and not for all clients at once. */
function computeRetryDelay(answer: Response | null, tries: number): number {
  const asked = Number(answer?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const own = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
  return Math.min(LONGEST_WAIT_MS, asked >= 0 ? asked : own);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/** The service's own words (RFC 9457), where it sent any. */
async function readResponseError(answer: Response | null): Promise<UserFacingError> {
  if (answer === null) return new UserFacingError(UNREACHABLE);
  const problem: unknown = await answer.json().catch(() => null);
  const { code, detail, title } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  const sentence = [detail, title].find((text) => typeof text === 'string');
  if (typeof code !== 'string' || typeof sentence !== 'string') return new UserFacingError(UNREACHABLE);
  return new UserFacingError({ code, sentence });
}
