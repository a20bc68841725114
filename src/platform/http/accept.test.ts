import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import test from 'node:test';
import fc from 'fast-check';
import Negotiator from 'negotiator';
import { isMarkdownPreferred, isMediaTypeAccepted, isPagePreferred } from './accept.ts';

const toRequest = (accept: string) => ({ headers: { accept } }) as unknown as IncomingMessage;

test('what is in quotes changes nothing: the answer is the one of the library for the whole header', () => {
  const types = 'text/html text/markdown application/json application/* */*'.split(' ');
  const parts = fc.constantFrom(...types, ';q=0', ';q=0.5', ';a="b"', ';a="b,c;d"', ',', ', ', ';');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
      const request = toRequest(pieces.join(''));
      // The library treats an empty header as one that excludes everything.
      const whole = new Negotiator(pieces.length === 0 ? toRequest('*/*') : request);
      assert.equal(
        isMediaTypeAccepted(request, 'application/json'),
        whole.mediaType(['application/json']) !== undefined,
      );
      const offered = ['application/problem+json', 'application/json', 'text/html'];
      assert.equal(isPagePreferred(request), whole.mediaType(offered) === 'text/html');
      const readable = whole.mediaType(['text/html', 'text/markdown']);
      assert.equal(isMarkdownPreferred(request), readable === 'text/markdown');
    }),
    { numRuns: 2_000 },
  );
});

test('a header without an end of its quotes, or longer than a kibibyte, is read without an error', () => {
  assert.equal(isPagePreferred(toRequest('text/html;a="')), false);
  assert.equal(isPagePreferred(toRequest('text/html, a/b;c="\\')), true);
  assert.equal(isMediaTypeAccepted(toRequest(`text/html${','.repeat(1_024)}`), 'application/json'), true);
});

test('an empty header excludes nothing, like none at all', () => {
  for (const accept of ['', ' ', '\t']) {
    assert.equal(isMediaTypeAccepted(toRequest(accept), 'application/json'), true);
    assert.equal(isPagePreferred(toRequest(accept)), false);
  }
});
