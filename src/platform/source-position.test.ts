/** Positions in a bundle are those of the source, as the bundler itself knows them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import test from 'node:test';
import { buildSync } from 'esbuild';
import { findSourcePosition, toSourcePosition } from './source-position.ts';

const { outputFiles } = buildSync({
  entryPoints: ['src/platform/log.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  sourcemap: 'external',
  sourcesContent: false,
  outdir: 'anywhere',
  write: false,
});
const map = JSON.parse(outputFiles[0]!.text) as { sources: string[]; mappings: string };
const code = outputFiles[1]!.text.split('\n');

test('a position is found wherever Node’s own reader of maps finds one', () => {
  const reference = new SourceMap(map as never);
  let count = 0;
  for (const [index, text] of code.entries()) {
    if (index % 97) continue;
    for (const column of [1, 5, Math.ceil(text.length / 2), text.length]) {
      const expected = reference.findOrigin(index + 1, column) as { fileName?: string; lineNumber?: number };
      const found = findSourcePosition(map, index + 1, column);
      if (!found) continue;
      count += 1;
      assert.ok(expected.fileName?.endsWith(found.file), `${expected.fileName} ${found.file}`);
      assert.equal(found.line, expected.lineNumber);
    }
  }
  assert.ok(count > 40, String(count));
});

test('a function of our own is found at its line', () => {
  const line = code.findIndex((text) => text.includes('function toErrorTrace(')) + 1;
  const source = readFileSync('src/platform/log.ts', 'utf8').split('\n');
  const expected = source.findIndex((text) => text.includes('function toErrorTrace(')) + 1;
  assert.deepEqual(
    [findSourcePosition(map, line, 10)?.file, findSourcePosition(map, line, 10)?.line],
    ['log.ts', expected],
  );
});

test('what is outside a map, or in no bundle, stays as it is', () => {
  assert.equal(findSourcePosition(map, 10_000_000, 1), null);
  assert.equal(findSourcePosition({ sources: [], mappings: '' }, 1, 1), null);
  assert.equal(findSourcePosition({ sources: [], mappings: '!' }, 1, 1), null);
  for (const text of [
    'log.ts:1:2',
    'file:///a/b.ts:1:2',
    'file:///a/node_modules/.cache/office/x/main.mjs:1:2',
  ])
    assert.equal(toSourcePosition(text), text);
});
