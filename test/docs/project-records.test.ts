/** The changelog and the index of decisions are up to date. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { RELEASED_ON } from '#platform/config/release-age.ts';
import { requireDocument } from './documents.ts';

test('the newest release in the changelog is the version of the package, and has a date', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const releases = [...requireDocument('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  const newest = releases.find((title) => title !== 'Unreleased') ?? '';
  assert.match(newest, /^\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)$/);
  assert.equal(newest, `${version} (${RELEASED_ON})`);
});

test('the index of decisions lists every decision by its number and title', () => {
  const index = requireDocument('docs/decisions/README.md');
  const rows = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((\S+)\) \|$/gm)];
  assert.deepEqual(
    rows.map(([, , , file]) => `docs/decisions/${file}`),
    globSync('docs/decisions/[0-9]*.md').toSorted(),
  );
  rows.forEach(([, number, title, file = ''], position) => {
    assert.equal(Number(number), position + 1, file);
    const decision = requireDocument(`docs/decisions/${file}`);
    assert.ok(decision.startsWith(`# ${number}. ${title}\n`), file);
    assert.ok(file.startsWith(String(number).padStart(4, '0')), file);
    for (const part of ['Why', 'Refused', 'Consequence'])
      assert.match(decision, new RegExp(`^\\*\\*${part}\\.\\*\\* `, 'm'), file);
  });
});
