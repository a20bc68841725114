/** Sends many bad requests, in process, and checks that each is refused properly. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { sql } from 'kysely';
import { Value } from 'typebox/value';
import { ProblemDetails } from '#platform/http/operation.ts';
import { problemKinds } from '#platform/problems.ts';
import { sendPatiently } from '#test/http/patient-requests.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import type { ApiAgent, ApiTestbed } from './api-testbed.ts';

interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string | Buffer;
}

interface FuzzResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface MeasuredResponse extends FuzzResponse {
  /** Processor time of all threads, in microseconds. */
  readonly cpu: number;
}

export interface Fuzzer {
  /** Sends without a client if `authorization` is null. The answer must be one that openapi.json declares. */
  readonly sendAs: (authorization: string | null, request: FuzzRequest) => Promise<MeasuredResponse>;
  readonly sendInProcess: (request: FuzzRequest) => Promise<FuzzResponse>;
  readonly countRequests: () => number;
  readonly assertSoundResponse: (answer: FuzzResponse) => void;
}

export function createFuzzer({ app, origin }: ApiTestbed, { authorization }: ApiAgent): Fuzzer {
  let count = 0;
  let cpu = 0;
  const getInProcess: HttpsClient = async (url, { method = 'GET', headers = {}, body } = {}) => {
    const payload =
      body === undefined ? {} : { payload: typeof body === 'string' ? body : Buffer.from(body) };
    const before = process.cpuUsage();
    const answer = await sendPatiently(app, { method, url, headers, ...payload });
    const { user, system } = process.cpuUsage(before);
    cpu = user + system;
    const isJson = answer.headers['content-type']?.includes('json') && answer.body !== '';
    return {
      status: answer.statusCode,
      headers: answer.headers as IncomingHttpHeaders,
      bytes: answer.rawPayload,
      text: answer.body,
      json: isJson ? answer.json() : {},
    };
  };
  const getDeclared = withOpenApiChecks(getInProcess);
  const sendAs: Fuzzer['sendAs'] = async (caller, { method, url, headers, payload }) => {
    count += 1;
    const answer = await getDeclared(url, {
      method,
      headers: { ...(caller === null ? {} : { authorization: caller }), ...headers },
      ...(payload === undefined ? {} : { body: payload }),
    });
    return {
      status: answer.status,
      type: String(answer.headers['content-type']),
      text: answer.text,
      cpu,
    };
  };
  return {
    countRequests: () => count,
    sendAs,
    sendInProcess: (request) => sendAs(authorization, request),
    assertSoundResponse: (answer) => assertSoundRefusal(answer, origin),
  };
}

/** A complete problem document (RFC 9457). */
function assertSoundRefusal({ status, type, text }: FuzzResponse, origin: string): void {
  assert.ok(status >= 400 && status < 500, `${status} ${text}`);
  assert.equal(type, 'application/problem+json');
  const problem: unknown = JSON.parse(text);
  assert.ok(Value.Check(ProblemDetails, problem), text);
  assert.equal(problem.status, status);
  assert.equal(problem.type, `${origin}/problems/${problem.code}`);
  assert.equal(problemKinds[problem.code].status, status);
}

const tables = [
  'cases',
  'objects',
  'object_pieces',
  'contact_messages',
  'orders',
  'idempotency',
  'outbox',
  'tokens',
  'users',
  'tombstones',
] as const;

/** The number of rows of each table. */
export async function countTableRows({ store }: ApiTestbed): Promise<Record<string, number>> {
  const counted = tables.map(async (table) => {
    const query = sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`;
    const { rows } = await query.execute(store.records);
    return [table, Number(rows[0]?.count)] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}
