/** Only parts that are the same for all readers are compressed, so that lengths reveal nothing about the rest. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { gunzipSync } from 'node:zlib';
import { html } from './html.ts';
import { compressPublicParts, markPublic, removeMarks } from './public-parts.ts';

const shared = markPublic(html`${Array.from({ length: 100 }, () => html`<p>the same for everyone</p>`)}`);

test('a page comes out as it went in, whatever is marked', () => {
  const large = 'x'.repeat(200_000);
  for (const page of [
    html``,
    html`plain`,
    shared,
    html`${shared}é${shared}`,
    html`${large}${shared}${large}`,
    markPublic(html``),
  ]) {
    const plain = removeMarks(page.toString());
    assert.equal(gunzipSync(compressPublicParts(page.toString())).toString(), plain);
  }
});

test('the parts that are the same for all readers become much smaller', () => {
  assert.ok(compressPublicParts(shared.toString()).byteLength < shared.toString().length / 10);
});

test('the length tells only how long the rest is, also where the rest repeats the shared part or itself', () => {
  const secrets = ['0123456789abcdef', 'aaaaaaaaaaaaaaaa', ' for everyone</p'];
  const lengths = secrets.map(
    (secret) => compressPublicParts(html`${shared}${secret}${shared}${secret}`.toString()).byteLength,
  );
  const markup = new Set(lengths.slice(0, 2));
  assert.equal(markup.size, 1);
  // Escaping makes this secret longer, in both places.
  assert.equal(lengths[2], lengths[0]! + 2 * (html`${secrets[2]}`.toString().length - 16));
});

test('a mark that a user typed does not become one', () => {
  assert.equal(html`a${'\u0002b\u0003'}<i title="${'\u0003'}">`.toString(), 'ab<i title="">');
});
