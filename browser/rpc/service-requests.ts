/** Asking the service from the worker: one try, or as many as a bad connection needs. */
import { Fault } from './fault.ts';

export interface Ask {
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

export async function ask(path: string, request: Ask): Promise<Response> {
  const answer = await tried(path, request);
  if (answer instanceof Response && answer.ok) return answer;
  throw await faultOf(answer);
}

/** For what may arrive twice without harm. */
export async function askUntilAnswered(path: string, request: Ask): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const answer = await tried(path, request);
    if (answer instanceof Response && answer.ok) return answer;
    if (tries === TRIES || !mayPass(answer)) throw await faultOf(answer);
    await pause(waitAfter(answer, tries), request.signal);
  }
}

export function jsonOf(value: unknown): Pick<Ask, 'method' | 'body'> & { headers: Record<string, string> } {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Null where no answer came. */
async function tried(path: string, { method, headers, body, signal }: Ask): Promise<Response | null> {
  // By hand: browsers older than 2024 cannot join two signals.
  const limit = new AbortController();
  const stop = () => limit.abort();
  const timer = setTimeout(stop, ANSWER_MS);
  signal?.addEventListener('abort', stop);
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
    signal?.removeEventListener('abort', stop);
  }
}

function mayPass(answer: Response | null): boolean {
  return answer === null || answer.status === 408 || answer.status === 429 || answer.status >= 500;
}

/** As long as the service asks for; otherwise longer each time, and not for all clients at once. */
function waitAfter(answer: Response | null, tries: number): number {
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
async function faultOf(answer: Response | null): Promise<Fault> {
  if (answer === null) return new Fault(UNREACHABLE);
  const problem: unknown = await answer.json().catch(() => null);
  const { code, detail, title } = (problem ?? {}) as Readonly<Record<string, unknown>>;
  const sentence = [detail, title].find((text) => typeof text === 'string');
  if (typeof code !== 'string' || typeof sentence !== 'string') return new Fault(UNREACHABLE);
  return new Fault({ code, sentence });
}
