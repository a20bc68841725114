/** Sends many bad requests, in process or over HTTPS, and checks that each is refused properly. */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { Value } from 'typebox/value';
import { ProblemDetails } from '#platform/http/operation.ts';
import { getProblemKind } from '#platform/problems.ts';
import { sendPatiently } from '#test/http/patient-requests.ts';
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

export interface Fuzzer {
  readonly sendInProcess: (request: FuzzRequest) => Promise<FuzzResponse>;
  readonly sendOverHttps: (request: FuzzRequest) => Promise<FuzzResponse>;
  readonly countRequests: () => number;
  readonly assertSoundResponse: (answer: FuzzResponse) => void;
}

export function createFuzzer({ app, get, origin }: ApiTestbed, { authorization }: ApiAgent): Fuzzer {
  let count = 0;
  return {
    countRequests: () => count,
    sendInProcess: async (request) => {
      count += 1;
      const headers = { authorization, ...request.headers };
      const answer = await sendPatiently(app, { ...request, headers });
      return { status: answer.statusCode, type: String(answer.headers['content-type']), text: answer.body };
    },
    sendOverHttps: async ({ method, url, headers, payload }) => {
      count += 1;
      const ask = { method, headers: { authorization, ...headers } };
      const { status, headers: got, text } = await get(url, { ...ask, ...(payload && { body: payload }) });
      return { status, type: String(got['content-type']), text };
    },
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
  assert.equal(getProblemKind(problem.code).status, status);
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
