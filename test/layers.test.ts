/** The import rule of docs/architecture.md, checked over the real imports. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import test from 'node:test';

/** From the top down; names on one line are doors that do not know each other. */
const layers = [
  ['main'],
  ['service'],
  ['app'],
  ['desk', 'site', 'api', 'agents'],
  ['oauth'],
  ['clients'],
  ['cases'],
  ['payments'],
  ['store'],
  ['view'],
  ['wire'],
  ['seal'],
  ['platform'],
];

const belowDoors = (root: string, room: string) =>
  root === 'src' && (room === 'services' || layerOf(room) > layerOf('api'));

/** What each root outside `src` may import besides itself. */
const reach: Readonly<Record<string, (root: string, room: string) => boolean>> = {
  browser: (root, room) => root === 'src' && ['wire', 'seal'].includes(room),
  cli: belowDoors,
  bench: (root, room) => root === 'test' || belowDoors(root, room),
  // Loads programs to fill the compile cache, and uses nothing of them.
  scripts: () => true,
};

type Imports = ReadonlyMap<string, readonly string[]>;

test('every import goes down the house, and none goes sideways between the doors', () => {
  assert.deepEqual(violations(realImports()), []);
});

test('the list of services imports types alone', () => {
  const imports = readFileSync('src/services.ts', 'utf8').match(/^import .*/gm) ?? [];
  assert.ok(imports.length > 5);
  for (const line of imports) assert.match(line, /^import type /);
});

test('no chain of imports leads back to where it began', () => {
  assert.deepEqual(cycles(realImports()), []);
});

test('a planted upward, sideways or foreign import is found', () => {
  const planted = (from: string, to: string) => violations(new Map([...realImports(), [from, [to]]]));
  assert.deepEqual(planted('src/platform/planted.ts', 'src/store/store.ts'), [
    'src/platform/planted.ts must not import src/store/store.ts',
  ]);
  assert.equal(planted('src/store/planted.ts', 'src/app.ts').length, 1);
  assert.equal(planted('src/api/planted.ts', 'src/site/home.ts').length, 1);
  assert.equal(planted('src/payments/planted.ts', 'sandbox/main.ts').length, 1);
  assert.equal(planted('sandbox/planted.ts', 'src/platform/ids.ts').length, 1);
  assert.equal(planted('browser/planted.ts', 'src/platform/ids.ts').length, 1);
  assert.equal(planted('cli/planted.ts', 'src/api/health.ts').length, 1);
  assert.equal(planted('examples/planted.ts', 'src/seal/age.ts').length, 1);
  assert.equal(planted('bench/planted.js', 'src/site/home.ts').length, 1);
  assert.equal(planted('src/unheard-of/planted.ts', 'src/platform/ids.ts').length, 1);
});

test('a planted cycle is found', () => {
  const planted = new Map([
    ['src/store/a.ts', ['src/store/b.ts']],
    ['src/store/b.ts', ['src/store/a.ts']],
  ]);
  assert.equal(cycles(planted).length, 1);
});

test('the reader of imports sees every way of writing one', () => {
  const source = `
    import { a } from '#store/store.ts';
    import type { b } from './near.ts';
    export { c } from '#seal/age.ts';
    const d = await import('#platform/ids.ts');
    import '#view/page.ts';
    import multi, {
      line,
    } from '#api/health.ts';`;
  assert.deepEqual(importsOf('src/app.ts', source), [
    'src/store/store.ts',
    'src/near.ts',
    'src/seal/age.ts',
    'src/platform/ids.ts',
    'src/view/page.ts',
    'src/api/health.ts',
  ]);
});

function realImports(): Imports {
  const files = globSync('{src,browser,cli,sandbox,bench,examples,scripts}/**/*.{ts,js}').filter(
    (file) => !file.endsWith('.test.ts'),
  );
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]));
}

function importsOf(file: string, source: string): string[] {
  const named = [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name ?? '');
  return named.flatMap((name) => {
    if (/^#(?:test|browser)\//.test(name)) return [name.slice(1)];
    if (name.startsWith('#')) return [`src/${name.slice(1)}`];
    return name.startsWith('.') ? [normalize(join(dirname(file), name))] : [];
  });
}

function violations(imports: Imports): string[] {
  return [...imports].flatMap(([from, targets]) =>
    targets.filter((to) => !allowed(from, to)).map((to) => `${from} must not import ${to}`),
  );
}

function allowed(from: string, to: string): boolean {
  const [fromRoot, fromRoom] = roomOf(from);
  const [toRoot, toRoom] = roomOf(to);
  if (fromRoot === 'src') return toRoot === 'src' && goesDown(fromRoom, toRoom);
  return fromRoot === toRoot || (reach[fromRoot]?.(toRoot, toRoom) ?? false);
}

/** `services` names the parts by their types alone, so every room may read it. */
function goesDown(from: string, to: string): boolean {
  if (to === 'services' || from === 'services') return true;
  return layerOf(from) >= 0 && (from === to || layerOf(from) < layerOf(to));
}

function roomOf(file: string): [root: string, room: string] {
  const [root = '', room = ''] = file.split('/');
  return [root, room.replace(/\.ts$/, '')];
}

function layerOf(room: string): number {
  return layers.findIndex((layer) => layer.includes(room));
}

function cycles(imports: Imports): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return found;
}
