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
  // Some settings can also be set as X_FILE, which .env.example explains once.
  const variables = [...read].filter((name) => !(name.endsWith('_FILE') && read.has(name.slice(0, -5))));
  assert.deepEqual(Object.keys(example).toSorted(), variables.toSorted());
  assert.ok(variables.length <= 37, 'group, derive or drop one before you add another');
});

test('the values in .env.example are the defaults', () => {
  assert.deepEqual(readConfig(example), readConfig({}));
});

test('the table for operators has every variable, and its default', () => {
  assert.deepEqual(checkTable().toSorted(), Object.keys(example).toSorted());
});

/** Checks each default in the table, and returns its variables. */
function checkTable(): string[] {
  const table =
    requireDocument('docs/operating.md')
      .split('## Configure\n')[1]
      ?.split(/\n##+ /)[0] ?? '';
  const rows = [...table.matchAll(/^\| (`.+?) \| (.+?) \| .+ \|$/gm)];
  return rows.flatMap(([, names = '', defaults = '']) =>
    names
      .split(', ')
      .map(stripBackticks)
      .map((name, index) => {
        checkDefault(name, defaults.split(', ')[index] ?? '');
        return name;
      }),
  );
}

/** A default in words is not checked: it says where the value comes from, or what replaces it. */
function checkDefault(name: string, value: string): void {
  assert.ok(name in example, name);
  if (!/^`[^`]+`$/.test(value) || stripBackticks(value) in example) return;
  const env = { [name]: stripBackticks(value).replace('$PORT', '8443') };
  assert.deepEqual(readConfig(env), readConfig({}), name);
}

function stripBackticks(text: string): string {
  return text.replaceAll('`', '');
}
