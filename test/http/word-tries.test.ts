/** Tries of words: one count for each address, over all routes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { rateBudgets } from '#platform/http/limits/limits.ts';
import { buildTestApp } from '#test/test-app.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';

const stoppedClock = { now: () => 1_800_000_000_000 };
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const JSON_BODY = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

/** Every route that accepts the words of a case, or the token derived from them, from a person. */
const ways: readonly (readonly [path: string, headers: Record<string, string>, body: string])[] = [
  ...['', '/message', '/keep', '/notify', '/silence', '/withdraw', '/purge', '/file'].map(
    (part) => [`/case${part}`, FORM, 'words=legal+winner'] as const,
  ),
  ['/permissions/words', FORM, 'words=legal+winner'],
  ['/sign-in/abc/words', FORM, 'words=legal+winner'],
  ...(['open', 'message', 'keep', 'notify', 'silence', 'withdraw', 'purge'] as const).map(
    (part) => [SEALED_CASE_PATHS[part], JSON_BODY, `{"lookup_token":"${'a'.repeat(43)}"}`] as const,
  ),
];

test('tries of words count together, whichever way they come, and other pages go on', async (t) => {
  const { app } = await buildTestApp(t, { clock: stoppedClock, env: { RATE_LIMIT: 'on' } });
  const send = async ([url, headers, payload]: (typeof ways)[number], remoteAddress = '127.0.0.2') =>
    await app.inject({
      method: 'POST',
      url,
      headers: { host: 'localhost', ...headers },
      payload,
      remoteAddress,
    });
  for (let sent = 0; sent < rateBudgets.words.max; sent += 1) {
    const way = ways[sent % ways.length]!;
    assert.notEqual((await send(way)).statusCode, 429, way[0]);
  }
  for (const way of ways) {
    const refused = await send(way);
    assert.equal(refused.statusCode, 429, way[0]);
    assert.equal(refused.headers['retry-after'], '60', way[0]);
    assert.notEqual((await send(way, '127.0.0.3')).statusCode, 429, `${way[0]} of another address`);
  }
  const news = await send([SEALED_CASE_PATHS.news, JSON_BODY, '{}']);
  assert.notEqual(news.statusCode, 429, 'an open page still asks for news');
});
