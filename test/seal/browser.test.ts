/** The sealing layer goes to browsers: it may use nothing that only a server has. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';

const files = globSync('src/seal/*.ts').filter((file) => !file.endsWith('.test.ts'));

test('the sealing layer imports only itself and packages made for browsers', () => {
  const allowed = /^(\.\/[\w-]+\.ts|@noble\/hashes\/.+|@scure\/.+|age-encryption|marked)$/;
  const foreign = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)]
      .map(([, name = '']) => name)
      .filter((name) => !allowed.test(name))
      .map((name) => `${file} imports ${name}`),
  );
  assert.ok(files.length > 10);
  assert.deepEqual(foreign, []);
});

test('the sealing layer names no global that only Node has', () => {
  const serverOnly = /\b(?:Buffer|process|require|__dirname|setImmediate|ReadableStream\.from)\b(?!['’ ])/;
  assert.deepEqual(
    files.filter((file) => serverOnly.test(readFileSync(file, 'utf8'))),
    [],
  );
});
