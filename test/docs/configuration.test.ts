/** The documented settings and defaults are those of the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { parseEnv } from 'node:util';
import { readConfig } from '#platform/config/config.ts';
import { requireDocument } from './documents.ts';

const example = parseEnv(readFileSync('.env.example', 'utf8')) as Record<string, string>;

test('.env.example has every variable that the configuration reads, and no other', () => {
  const read = new Set<string>();
  const recorder = {
    get(_target: object, name: string) {
      read.add(name);
      return undefined;
    },
  };
  readConfig(new Proxy({}, recorder));
  // A secret X may be given as X_FILE, which .env.example explains once. The file of recipients has its own format.
  const variables = [...read].filter(
    (name) => name === 'DESK_RECIPIENTS_FILE' || !(name.endsWith('_FILE') && read.has(name.slice(0, -5))),
  );
  assert.deepEqual(Object.keys(example).toSorted(), variables.toSorted());
});

test('the values in .env.example are the defaults', () => {
  assert.deepEqual(readConfig(example), readConfig({}));
});

test('the table in the README names variables that exist, and their defaults', () => {
  const table = requireDocument('README.md').split('## Configure it')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| (`.+?) \| (.+?) \| .+ \|$/gm)];
  assert.ok(rows.length > 5);
  for (const [, names = '', defaults = ''] of rows)
    for (const [index, name] of names.split(', ').map(stripBackticks).entries()) {
      assert.ok(name in example, name);
      const value = defaults.split(', ')[index] ?? '';
      if (!/^`[^`]+`$/.test(value)) continue;
      const env = { [name]: stripBackticks(value).replace('$PORT', '8443') };
      assert.deepEqual(readConfig(env), readConfig({}), name);
    }
});

function stripBackticks(text: string): string {
  return text.replaceAll('`', '');
}
