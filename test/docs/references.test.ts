/** Files and links that the documents mention exist. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { documents, listInlineCode, listRelativeLinks } from './documents.ts';

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
