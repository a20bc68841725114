/** docs/agents.md agrees with the code. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { problemKinds } from '#platform/problems.ts';
import { SCOPES } from '#platform/scopes.ts';

const text = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');

const rows: [what: string, seconds: number, unit: 'day' | 'hour' | 'minute'][] = [
  ['access token', oauthLifetimes.accessToken, 'minute'],
  ['authorization code', oauthLifetimes.authorizationCode, 'minute'],
  ['refresh token', oauthLifetimes.refreshToken, 'day'],
  ['what a person allowed', oauthLifetimes.grant, 'day'],
  ['sign-in, from the first page to the last', oauthLifetimes.signIn, 'minute'],
  ['code by e-mail', oauthLifetimes.emailCode, 'minute'],
  ['DPoP proof', oauthLifetimes.dpopProof, 'minute'],
  ['registration without a decision, and its token', oauthLifetimes.registration, 'day'],
  ['link to credentials in an e-mail', oauthLifetimes.offer, 'hour'],
];

for (const [what, seconds, unit] of rows)
  test(`the documented lifetime of "${what}" is the one in the code`, () => {
    const amount = seconds / { day: 86_400, hour: 3_600, minute: 60 }[unit];
    assert.match(text, new RegExp(`^\\| ${what} \\| ${amount} ${unit}`, 'm'));
  });

test('every scope is documented, and every documented problem exists', () => {
  for (const scope of SCOPES) assert.ok(text.includes(`| \`${scope}\` |`), scope);
  const table = text.slice(text.indexOf('At the API, as problem details'));
  for (const [, code = '', status] of table.matchAll(/^\| `(\w+)` \| (\d+) \|/gm))
    assert.equal(problemKinds[code as keyof typeof problemKinds]?.status, Number(status), code);
});
