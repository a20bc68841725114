/** The changelog and the index of decisions are up to date. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { RELEASED_ON } from '#platform/release-age.ts';
import { requireDocument } from './documents.ts';

test('the newest release in the changelog is the version of the package, and has a date', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const releases = [...requireDocument('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  const newest = releases.find((title) => title !== 'Unreleased') ?? '';
  assert.match(newest, /^\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)$/);
  assert.equal(newest, `${version} (${RELEASED_ON})`);
});

test('the index of decisions lists every decision by its number, title and status', () => {
  const index = requireDocument('docs/decisions/README.md');
  const rows = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((\S+)\) \| \d{4}-\d{2}-\d{2} \| (\w+) \|.*\|$/gm)];
  const decisions = globSync('docs/decisions/[0-9]*.md').toSorted();
  assert.deepEqual(
    rows.map(([, , , file]) => `docs/decisions/${file}`),
    decisions,
  );
  for (const [, number, title, file = '', status = ''] of rows) {
    const decision = requireDocument(`docs/decisions/${file}`);
    assert.ok(decision.startsWith(`# ${number}. ${title}\n`), file);
    assert.ok(file.startsWith(String(number).padStart(4, '0')), file);
    assert.match(decision, new RegExp(`^${status}`, 'im'), file);
  }
});
