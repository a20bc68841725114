/** Which text is base64url: exactly what encodes some bytes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { isBase64url, toBase64url } from './base64url.ts';

test('text of any length is base64url if it encodes some bytes', () => {
  for (let length = 1; length < 40; length += 1) assert.ok(isBase64url(toBase64url(randomBytes(length))));
  assert.ok(!isBase64url(''));
});

test('text that the decoder takes for the same bytes is not base64url', () => {
  // The low byte of ł is that of B.
  for (const text of ['łwcH', 'B wcH', 'BwcH=', 'BwcH\n', '+wcH', '/wcH', 'BwcHB', 'Bwd', 'Bx', 'BwcH\0'])
    assert.ok(!isBase64url(text), JSON.stringify(text));
});
