/** Checks the real imports against the import rule of docs/architecture.md. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import test from 'node:test';

const layers = readImportRule();

const isBelowEntryPoints = (root: string, room: string) =>
  root === 'src' && (room === 'services' || findLayerIndex(room) > findLayerIndex('api'));

/** What each root outside `src` may import besides itself. */
const reach: Readonly<Record<string, (root: string, room: string) => boolean>> = {
  browser: (root, room) => root === 'src' && ['wire', 'seal', 'language'].includes(room),
  cli: (root, room) => root === 'desk' || isBelowEntryPoints(root, room),
  desk: (root, room) => root === 'src' && ['seal', 'view', 'wire', 'platform', 'language'].includes(room),
  // Like any other program that has installed its package.
  examples: (root, room) => root === 'src' && room === 'seal',
  // May import the entry points, because it starts one of the programs.
  bin: (root, room) => root === 'examples' || (['src', 'cli', 'desk'].includes(root) && room === 'main'),
  tools: (root, room) => ['bin', 'desk', 'test'].includes(root) || isBelowEntryPoints(root, room),
};

/** The desk holds the keys, so it imports few packages: these, and those of the folders that it may import. */
const DESK_PACKAGES = ['jose'];
/** All packages loaded with the desk, directly or not: for sealing, response shapes, texts of fields, Markdown. */
const DESK_LOADS = [
  '@noble/hashes',
  '@scure/base',
  'age-encryption',
  'jose',
  'marked',
  'messageformat',
  'typebox',
];

type Imports = ReadonlyMap<string, readonly string[]>;

test('every import goes down the layers, and none goes sideways', () => {
  assert.deepEqual(listViolations(readRealImports()), []);
});

test('services.ts imports only types', () => {
  const imports = readFileSync('src/services.ts', 'utf8').match(/^import .*/gm) ?? [];
  assert.ok(imports.length > 5);
  for (const line of imports) assert.match(line, /^import type /);
});

test('the desk imports no packages but its own few', () => {
  const files = globSync('desk/**/*.{ts,js}');
  assert.ok(files.length > 0);
  const found = files.flatMap((file) => listPackages(readFileSync(file, 'utf8')));
  assert.deepEqual(
    found.filter((name) => !DESK_PACKAGES.includes(name)),
    [],
  );
  assert.deepEqual(listPackages("import a from 'fastify'; import { b } from '@noble/hashes/sha2.js';"), [
    'fastify',
    '@noble/hashes',
  ]);
});

test('what the desk imports loads no other packages either', () => {
  const loaded = new Map<string, string>();
  const loadFile = (file: string): void => {
    if (loaded.has(file)) return;
    const source = readFileSync(file, 'utf8').replace(/^(?:import|export) type [^;]+;$/gm, '');
    loaded.set(file, source);
    for (const next of parseImports(file, source)) loadFile(next);
  };
  loadFile('desk/main.ts');
  assert.ok(loaded.size > 100, String(loaded.size));
  const packages = new Set([...loaded.values()].flatMap(listPackages));
  assert.deepEqual([...packages].toSorted(), DESK_LOADS);
});

test('there are no import cycles', () => {
  assert.deepEqual(listCycles(readRealImports()), []);
});

test('a planted upward, sideways or foreign import is found', () => {
  const listPlantedViolations = (from: string, to: string) =>
    listViolations(new Map([...readRealImports(), [from, [to]]]));
  assert.deepEqual(listPlantedViolations('src/platform/planted.ts', 'src/store/store.ts'), [
    'src/platform/planted.ts must not import src/store/store.ts',
  ]);
  for (const [from, to] of [
    ['src/store/planted.ts', 'src/app.ts'],
    ['src/api/planted.ts', 'src/site/home.ts'],
    ['src/payments/planted.ts', 'sandbox/main.ts'],
    ['sandbox/planted.ts', 'src/platform/text/ids.ts'],
    ['browser/planted.ts', 'src/platform/text/ids.ts'],
    ['cli/planted.ts', 'src/api/health.ts'],
    ['examples/planted.ts', 'src/platform/text/ids.ts'],
    ['desk/planted.ts', 'src/cases/states.ts'],
    ['desk/planted.ts', 'src/desk-api/routes.ts'],
    ['desk/planted.ts', 'cli/keys/desk-key.ts'],
    ['src/site/planted.ts', 'desk/main.ts'],
    ['bin/planted.js', 'src/service.ts'],
    ['tools/planted.js', 'src/site/home.ts'],
    ['src/unheard-of/planted.ts', 'src/platform/text/ids.ts'],
  ] as const)
    assert.equal(listPlantedViolations(from, to).length, 1, `${from} ${to}`);
});

test('a planted cycle is found', () => {
  const planted = new Map([
    ['src/store/a.ts', ['src/store/b.ts']],
    ['src/store/b.ts', ['src/store/a.ts']],
  ]);
  assert.equal(listCycles(planted).length, 1);
});

test('the parser finds every form of import', () => {
  const source = `
    import { a } from '#store/store.ts';
    import type { b } from './near.ts';
    export { c } from '#seal/core/age.ts';
    const d = await import('#platform/text/ids.ts');
    import '#view/page.ts';
    import { e } from '#desk/keys/pin-file.ts';
    import multi, {
      line,
    } from '#api/health.ts';`;
  assert.deepEqual(parseImports('src/app.ts', source), [
    'src/store/store.ts',
    'src/near.ts',
    'src/seal/core/age.ts',
    'src/platform/text/ids.ts',
    'src/view/page.ts',
    'desk/keys/pin-file.ts',
    'src/api/health.ts',
  ]);
});

function readRealImports(): Imports {
  const files = globSync('{src,browser,bin,cli,desk,sandbox,examples,tools}/**/*.{ts,js}').filter(
    (file) => !file.endsWith('.test.ts'),
  );
  return new Map(files.map((file) => [file, parseImports(file, readFileSync(file, 'utf8'))]));
}

function parseImports(file: string, source: string): string[] {
  return listImportedNames(source).flatMap((name) => {
    // Sentences are data, not code.
    if (name.startsWith('#languages/')) return [];
    if (/^#(?:test|browser|sandbox|tools|desk)\//.test(name)) return [name.slice(1)];
    if (name.startsWith('#')) return [`src/${name.slice(1)}`];
    return name.startsWith('.') ? [normalize(join(dirname(file), name))] : [];
  });
}

function listImportedNames(source: string): string[] {
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name ?? '');
}

/** Lists packages of npm: neither ours nor Node's. */
function listPackages(source: string): string[] {
  return listImportedNames(source)
    .filter((name) => /^[@a-z]/.test(name) && !name.startsWith('node:'))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
}

function listViolations(imports: Imports): string[] {
  return [...imports].flatMap(([from, targets]) =>
    targets.filter((to) => !mayImport(from, to)).map((to) => `${from} must not import ${to}`),
  );
}

function mayImport(from: string, to: string): boolean {
  const [fromRoot, fromRoom] = parseRoom(from);
  const [toRoot, toRoom] = parseRoom(to);
  if (fromRoot === 'src') return toRoot === 'src' && isDownward(fromRoom, toRoom);
  return fromRoot === toRoot || (reach[fromRoot]?.(toRoot, toRoom) ?? false);
}

/** `services` has types only, so every folder may import it. */
function isDownward(from: string, to: string): boolean {
  if (to === 'services' || from === 'services') return true;
  return findLayerIndex(from) >= 0 && (from === to || findLayerIndex(from) < findLayerIndex(to));
}

function parseRoom(file: string): [root: string, room: string] {
  const [root = '', room = ''] = file.split('/');
  return [root, room.replace(/\.ts$/, '')];
}

function findLayerIndex(room: string): number {
  return layers.findIndex((layer) => layer.includes(room));
}

function listCycles(imports: Imports): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walkImports = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const next of imports.get(file) ?? []) walkImports(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walkImports(file, []);
  return found;
}

/** Folders on the same level must not import each other. */
function readImportRule(): readonly (readonly string[])[] {
  const line = /^`(main · [^`]+)`$/m.exec(readFileSync('docs/architecture.md', 'utf8'))?.[1];
  if (!line) throw new Error('docs/architecture.md states no import rule');
  return line.split(' · ').map((step) => step.split('/'));
}
