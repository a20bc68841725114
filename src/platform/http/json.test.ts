import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '#platform/errors.ts';
import { MAX_JSON_DEPTH } from '#seal/core/bounded-json.ts';
import { parseJson } from './json.ts';

const toBytes = (text: string) => Buffer.from(text);

function assertRefused(body: Uint8Array, reason: RegExp): void {
  assert.throws(
    () => parseJson(body),
    (error: unknown) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, 'malformed_json');
      assert.match(error.publicMessage, reason);
      return true;
    },
  );
}

test('a document without repeated names is parsed as JSON.parse does', () => {
  const document = fc.json({ maxDepth: 5 }).filter((text) => !/__proto__|constructor|prototype/.test(text));
  fc.assert(
    fc.property(document, (text) => {
      const expected: unknown = JSON.parse(text);
      assert.deepEqual(parseJson(toBytes(text)), expected);
    }),
    { numRuns: 500 },
  );
});

test('a repeated name is refused at any depth, even if it is written with escapes', () => {
  assertRefused(toBytes('{"tier":1,"tier":2}'), /repeats a name/);
  assertRefused(toBytes('{"tier":1,"t\\u0069er":2}'), /repeats a name/);
  assertRefused(toBytes('[{"a":{"b":1,"c":[1,{"x":1,"x":1}]}}]'), /repeats a name/);
});

test('the same name in different objects, or as a value, is allowed', () => {
  assert.deepEqual(parseJson(toBytes('{"a":{"a":"a"},"b":[{"a":"a"},{"a":"b"}]}')), {
    a: { a: 'a' },
    b: [{ a: 'a' }, { a: 'b' }],
  });
});

test('names that could pollute a prototype are refused', () => {
  assertRefused(toBytes('{"__proto__":{"admin":true}}'), /reserved/);
  assertRefused(toBytes('{"a":{"\\u005f_proto__":1}}'), /reserved/);
  assertRefused(toBytes('{"constructor":{"prototype":{"admin":true}}}'), /reserved/);
  assert.equal(({} as { admin?: boolean }).admin, undefined);
});

test('nesting beyond the limit is refused', () => {
  const buildNestedArrays = (depth: number) => toBytes('['.repeat(depth) + ']'.repeat(depth));
  assert.ok(parseJson(buildNestedArrays(MAX_JSON_DEPTH)));
  assertRefused(buildNestedArrays(MAX_JSON_DEPTH + 1), /deeper/);
  assertRefused(buildNestedArrays(30_000), /deeper|valid JSON/);
});

test('bad UTF-8, a byte order mark, a lone surrogate, an empty body and bad JSON are refused', () => {
  assertRefused(Buffer.from([0x22, 0xc3, 0x28, 0x22]), /UTF-8/);
  assertRefused(Buffer.from([0xef, 0xbb, 0xbf, 0x31]), /JSON/);
  assertRefused(toBytes('"\\ud800"'), /Unicode/);
  assertRefused(toBytes('{"\\udfff":1}'), /Unicode/);
  assertRefused(toBytes(''), /empty/);
  assertRefused(toBytes('{"a":1'), /JSON/);
  assertRefused(toBytes('{"a":1}x'), /JSON/);
});
