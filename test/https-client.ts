/** An HTTPS client that trusts the service's self-signed certificate and returns raw responses. */
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { readErrorCode } from '#platform/error-code.ts';
import { exchange } from '#platform/net/http-exchange.ts';

const BUSY_MS = 60_000;
const BUSY_PAUSE_MS = 500;

export interface HttpsResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** The loopback address to send from. */
  readonly from?: string;
  /** Does not retry when the service is too busy; by default, the request is repeated. */
  readonly once?: true;
}

export type HttpsClient = (path: string, ask?: RequestOptions) => Promise<HttpsResponse>;

export async function createHttpsClient(origin: string, dataDir: string): Promise<HttpsClient> {
  const ca = await readFile(join(dataDir, 'tls', 'localhost.crt'), 'utf8');
  const agent = new Agent({ keepAlive: true, secureContext: createSecureContext({ ca }) });
  // A forged Host header must not change which name the certificate is checked against.
  const { hostname } = new URL(origin);
  const servername = hostname === 'localhost' ? { servername: hostname, lookup: findLoopback } : {};
  const openExchange = async (path: string, ask: RequestOptions): Promise<IncomingMessage> => {
    const { method = 'GET', headers = {}, body, from } = ask;
    const local = from ? { localAddress: from } : {};
    const outgoing = request(origin + path, { method, headers, agent, ...servername, ...local });
    try {
      return await exchange(outgoing, body);
    } catch (error) {
      // The service closed the idle connection while this request was being sent.
      const isStale = outgoing.reusedSocket && readErrorCode(error) === 'ECONNRESET';
      if (!isStale) throw error;
      return await openExchange(path, ask);
    }
  };
  const sendRequest = async (path: string, ask: RequestOptions): Promise<HttpsResponse> => {
    const incoming = await openExchange(path, ask);
    const bytes = await buffer(incoming);
    const text = bytes.toString();
    const isJson = incoming.headers['content-type']?.includes('json') && text !== '';
    const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, bytes, text, json };
  };
  return async (path, ask = {}) => {
    const deadline = Date.now() + BUSY_MS;
    for (;;) {
      const answer = await sendRequest(path, ask);
      if (ask.once || !isTooBusy(answer) || Date.now() > deadline) return answer;
      await sleep(BUSY_PAUSE_MS);
    }
  };
}

/** Resolves `localhost` without the system, whose lookup takes as long as the request. */
const findLoopback: LookupFunction = (_name, { all }, tell) =>
  all ? tell(null, [{ address: '127.0.0.1', family: 4 }]) : tell(null, '127.0.0.1', 4);

/** Detects load shedding on a busy machine, which is not under test. */
function isTooBusy({ status, json, text }: HttpsResponse): boolean {
  return status === 503 && (json['code'] === 'overloaded' || text.includes('Too many people are here'));
}
