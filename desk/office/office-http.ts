/** Requests to the one office: no redirects, no proxies, a time limit, and a limit on the length of the answer. */
import type { IncomingMessage } from 'node:http';
import { Agent, request as sendRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { readErrorCode } from '#platform/error-code.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { readBounded } from '#platform/net/bounded-bytes.ts';
import { exchange } from '#platform/net/http-exchange.ts';
import { OfficeFault } from './office-fault.ts';
import { openSecureSocket, type SocketOptions } from './secure-socket.ts';

export interface OfficeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Includes the query. */
  readonly path: string;
  /** Called for each attempt: a proof can be used only once. */
  readonly createHeaders: () => Promise<Readonly<Record<string, string>>>;
  readonly body?: Uint8Array | undefined;
  readonly maxBytes: number;
  readonly answerMs?: number | undefined;
}

export interface OfficeAnswer {
  readonly status: number;
  /** Without parameters; empty if there is none. */
  readonly mediaType: string;
  readonly body: Buffer;
}

export type OfficeHttp = ReturnType<typeof createOfficeHttp>;

const ANSWER_MS = 60_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_REFUSAL_BYTES = 16 * 1024;

export function createOfficeHttp(options: SocketOptions & { readonly answerMs?: number }) {
  const { office, answerMs: usualMs = ANSWER_MS } = options;
  const agent = new OfficeAgent(options);
  let isClosed = false;
  const host = office.port === 443 ? formatHost(office.host) : `${formatHost(office.host)}:${office.port}`;
  const tryOnce = async (request: OfficeRequest) => {
    const { method, path, createHeaders, body, maxBytes, answerMs = usualMs } = request;
    const headers = {
      Host: host,
      Accept: `application/json, application/problem+json, ${OCTET_STREAM}`,
      'Accept-Encoding': 'identity',
      ...(body ? { 'Content-Length': String(body.length) } : {}),
      ...(await createHeaders()),
    };
    const signal = AbortSignal.timeout(answerMs);
    const outgoing = sendRequest({
      agent,
      host: office.host,
      port: office.port,
      method,
      path,
      headers,
      signal,
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    try {
      return await readAnswer(await exchange(outgoing, body), maxBytes);
    } catch (error) {
      outgoing.destroy();
      if (signal.aborted)
        throw new OfficeFault('unreachable', 'The office took too long to answer. Try again.', error);
      // The office closed the kept-alive connection before it read this request.
      if (outgoing.reusedSocket && CLOSED.has(readErrorCode(error))) return null;
      throw toRequestFault(error);
    }
  };
  return {
    send: async (request: OfficeRequest): Promise<OfficeAnswer> => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        // Closing breaks connections, which must not look like a reason to retry.
        if (isClosed) throw createLockedFault();
        const answer = await tryOnce(request);
        if (answer) return answer;
      }
      throw toRequestFault(undefined);
    },
    close: () => {
      isClosed = true;
      agent.destroy();
    },
  };
}

const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
/** More than the number of connections that are kept open. */
const MAX_TRIES = 5;

type ConnectionCallback = (error: Error | null, stream: Duplex) => void;

class OfficeAgent extends Agent {
  readonly #options: SocketOptions;

  constructor(options: SocketOptions) {
    super({ keepAlive: true, maxSockets: 4, maxFreeSockets: 2, maxCachedSessions: 0 });
    this.#options = options;
  }

  override createConnection(_: unknown, callback?: ConnectionCallback): undefined {
    void this.#openSocket(callback);
  }

  async #openSocket(callback: ConnectionCallback | undefined): Promise<void> {
    try {
      const socket = await openSecureSocket(this.#options);
      callback?.(null, socket);
    } catch (error) {
      callback?.(error as Error, undefined as never);
    }
  }
}

async function readAnswer(incoming: IncomingMessage, usualBytes: number): Promise<OfficeAnswer> {
  const { statusCode: status = 0, headers } = incoming;
  const maxBytes = status >= 400 ? Math.max(usualBytes, MAX_REFUSAL_BYTES) : usualBytes;
  if (status < 200) throw createHostileFault('it changes to a protocol other than HTTP');
  if (status >= 300 && status < 400)
    throw createHostileFault('it is a redirect, which the desk never follows');
  if (headers['content-encoding'] !== undefined)
    throw createHostileFault('it has a content encoding that the desk did not request');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw createHostileFault('it is too long');
  const body = await readBounded(incoming, maxBytes);
  if (body === null) throw createHostileFault('it is too long');
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return { status, mediaType, body };
}

/** For an answer that no genuine office gives. */
export function createHostileFault(reason: string, cause?: unknown): OfficeFault {
  return new OfficeFault(
    'hostile',
    `The office's answer was not used: ${reason}. If this happens again, ask the operator.`,
    cause,
  );
}

/** Also for a request that was already sent when the desk was locked; its answer is not used. */
export function createLockedFault(): OfficeFault {
  return new OfficeFault('unreachable', 'The desk is locked, so it does not contact the office.');
}

function toRequestFault(error: unknown): OfficeFault {
  if (error instanceof OfficeFault) return error;
  const code = readErrorCode(error);
  if (code.startsWith('HPE_')) return createHostileFault('it is not valid HTTP', error);
  return new OfficeFault(
    'unreachable',
    `The connection to the office was lost${code === '' ? '' : ` (${code})`}. Try again.`,
    error,
  );
}

function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
