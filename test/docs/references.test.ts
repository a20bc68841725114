/** Files, links, folders and names that the documents mention exist. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { readImportRule } from '#test/import-rule.ts';
import { documents, listInlineCode, listRelativeLinks, requireDocument } from './documents.ts';

const PROJECT_PATH =
  /^(?:src|browser|bin|cli|sandbox|tools|agent|deploy|test|docs)\/[\w./*-]*$|^[\w./*-]+\.(?:ts|js|css)$/;

test('every file that a document names exists', () => {
  const missing = documents.flatMap((document) =>
    listInlineCode(document)
      .filter((code) => PROJECT_PATH.test(code) && !code.startsWith('./') && globSync(code).length === 0)
      .map((code) => `${document.path}: ${code}`),
  );
  assert.deepEqual(missing, []);
});

test('every relative link leads to a file, and to a heading where it names one', () => {
  const broken = documents.flatMap((document) =>
    listRelativeLinks(document)
      .filter((link) => !isWorkingLink(document.path, link))
      .map((link) => `${document.path}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

test('every row of the table of changes in AGENTS.md names a file', () => {
  const table = requireDocument('AGENTS.md').split('## To change')[1]?.split('\n## ')[0] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| change |'));
  assert.ok(rows.length > 15);
  for (const row of rows) {
    const files = [...(row.split(' | ')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    assert.ok(
      files.some((code) => /[./]/.test(code) && existsSync(code)),
      row,
    );
  }
});

test('the map in the README has every folder, in the order of the import rule', () => {
  const map = requireDocument('README.md').split('## The house')[1]?.split('```')[1] ?? '';
  const rooms = [...map.matchAll(/^ {2}([\w.-]+?)\/? {2,}/gm)].map(([, room = '']) => room);
  assert.deepEqual(rooms.toSorted(), readdirSync('src').toSorted());
  const steps = rooms
    .map((room) => room.replace(/\.ts$/, ''))
    .filter((room) => room !== 'services')
    .map((room) => readImportRule().findIndex((step) => step.includes(room)));
  assert.ok(!steps.includes(-1));
  assert.deepEqual(
    steps,
    steps.toSorted((one, other) => one - other),
  );
  for (const folder of globSync(['src/*/*', 'browser/*'], { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const parent = folder.parentPath.split('/').at(-1) ?? '';
    const line = map.split('\n').find((each) => each.trim().startsWith(`${parent}/`)) ?? '';
    assert.ok(line.includes(`${folder.name}/`), `${parent}/${folder.name}`);
  }
});

test('the start summary in the README has the labels that the service prints', () => {
  const start = requireDocument('README.md').split('Inquiry Office is ready.')[1]?.split('```')[0] ?? '';
  const labels = [...start.matchAll(/^ {2}(\w+(?: \w+)?) {2,}/gm)].map(([, label = '']) => label);
  const printed = readFileSync('src/start-summary.ts', 'utf8');
  assert.ok(labels.length > 8);
  for (const label of labels) assert.match(printed, new RegExp(`'${label}',`), label);
});

test('every name of code in the glossary is in the code', () => {
  const source = globSync('{src,browser,desk}/**/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const names = [...requireDocument('docs/glossary.md').matchAll(/\| `([A-Za-z]+)` \|/g)];
  assert.ok(names.length > 25);
  for (const [, name = ''] of names) assert.match(source, new RegExp(`\\b${name}\\b`), name);
});

function isWorkingLink(from: string, link: string): boolean {
  const [file = '', heading] = link.split('#');
  const target = file === '' ? from : join(dirname(from), file);
  if (!existsSync(target)) return false;
  return heading === undefined || listHeadingAnchors(readFileSync(target, 'utf8')).includes(heading);
}

/** GitHub's anchors: lower case, spaces as dashes, only letters, digits and dashes. */
function listHeadingAnchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
