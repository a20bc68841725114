/** Sends every kind of nonsense in every field: the office must refuse it with a 4xx error and change nothing. */
import assert from 'node:assert/strict';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type { Draw } from './draw.ts';
import type { World } from './world.ts';

const NONSENSE: readonly unknown[] = [
  null,
  '',
  '\0',
  'x'.repeat(70_000),
  '../../etc/passwd',
  "'; drop table cases; --",
  -1,
  1e308,
  0.5,
  true,
  [],
  {},
  [[[[[[]]]]]],
  { $ref: '#' },
  { __proto__: null, constructor: 1 },
  '\uD800',
  '𝕏'.repeat(300),
];

/** The routes that accept JSON from programs, pages and the desk, with their fields. */
const TARGETS: readonly (readonly [method: string, path: string, ...fields: string[]])[] = [
  ['POST', '/api/stripe/checkout', 'tier'],
  ['POST', '/api/stripe/webhook', 'id', 'type', 'data'],
  ['POST', '/api/inquiries', 'order_id', 'session_id', 'terms_version', 'keep_days', 'sealed', 'plain'],
  ['POST', '/api/cases/CASE/messages', 'seq', 'sealed', 'books_call'],
  ['PUT', '/api/cases/CASE/retention', 'keep_days'],
  ['POST', '/api/cases/CASE/plain', 'words', 'after'],
  ['POST', '/api/contact', 'message', 'reply_to'],
  ['PUT', '/api/callback', 'url', 'rotate_secret'],
  ['POST', '/mcp', 'jsonrpc', 'id', 'method', 'params'],
  ['POST', '/inquiry/sealed', 'lookup_hash', 'case_key', 'inquiry', 'files', 'keep_days', 'terms_version'],
  ...Object.values(SEALED_CASE_PATHS)
    .filter((path) => path !== SEALED_CASE_PATHS.uploads)
    .map((path) => ['POST', path, 'lookup_token', 'seq', 'sealed', 'keep_days', 'address', 'after'] as const),
  ['POST', '/api/desk/cases/CASE/acts', 'act', 'to'],
  ['POST', '/api/desk/cases/CASE/messages', 'seq', 'sealed', 'act', 'keep_days', 'salt', 'refund'],
  ['POST', '/api/desk/cases/CASE/finding', 'seq', 'sealed', 'files', 'at_once'],
];

export async function sendGarbage(world: World, draw: Draw): Promise<string> {
  const [method, path, ...fields] = draw.pick(TARGETS);
  const one = world.model.cases.length > 0 ? draw.pick(world.model.cases) : null;
  const chosen = draw.pick(fields);
  const body: Record<string, unknown> = { [chosen]: draw.pick(NONSENSE) };
  if (draw.chance(30)) body[draw.pick(fields)] = draw.pick(NONSENSE);
  // Sends the correct token together with nonsense, too.
  if (fields.includes('lookup_token') && one && chosen !== 'lookup_token')
    body['lookup_token'] = one.lookupToken;
  if (Object.keys(body).join() === 'lookup_token' && one?.lookupToken === body['lookup_token']) body['x'] = 1;
  const url = path.replace('CASE', one?.id ?? 'nothing');
  const instance = draw.pick(world.instances);
  const text = JSON.stringify(body);
  const answer = url.startsWith('/api/desk')
    ? await world.sendAsDesk(instance, url.replace('/api/desk', ''), { method, body })
    : url.startsWith('/api')
      ? await world.sendAsAgent(instance, draw.pick(world.model.agents), url.replace('/api', ''), {
          method,
          body,
        })
      : await world.send(instance, url, {
          method,
          headers: {
            ...sameOriginHeaders,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
          },
          body: text,
        });
  const isRefused = answer.status >= 400 && answer.status < 500;
  // A route that only reads may succeed in spite of nonsense in an optional field.
  const isRead = answer.status === 200 && /\/case\/sealed$|\/news$|\/silence$|mcp|plain$/.test(path);
  assert.ok(
    isRefused || isRead,
    `${method} ${path} takes ${text.slice(0, 200)}: ${answer.status} ${answer.text.slice(0, 200)}`,
  );
  return `garbage for ${method} ${path}: ${answer.status}`;
}
