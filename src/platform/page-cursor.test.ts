import assert from 'node:assert/strict';
import test from 'node:test';
import { decodePageCursor, type PageRequest, readListPage } from './page-cursor.ts';
import { generateId } from './text/ids.ts';

const rows = Array.from({ length: 6 }, (_, index) => ({ id: generateId(), createdAt: 1_000 + index }));

async function listRows({ limit, after }: PageRequest) {
  return rows.filter(({ createdAt }) => createdAt > (after?.at ?? 0)).slice(0, limit);
}

test('a cursor leads to the next page, and a full last page has none', async () => {
  const seen = [];
  let after: PageRequest['after'];
  for (let pages = 0; pages < 2; pages += 1) {
    const page = await readListPage({ limit: 3, after }, listRows, ({ createdAt }) => createdAt);
    seen.push(...page.rows);
    assert.equal(page.next === null, pages === 1);
    after = decodePageCursor(page.next ?? '') ?? undefined;
  }
  assert.deepEqual(seen, rows);
});

test('a partly filled page and an empty page have no next page', async () => {
  assert.equal((await readListPage({ limit: 7 }, listRows, ({ createdAt }) => createdAt)).next, null);
  const readNothing = async () => [];
  const empty = await readListPage({ limit: 1 }, readNothing, () => 0);
  assert.deepEqual(empty, { rows: [], next: null });
});

test('a text in another format is no cursor', () => {
  const id = generateId();
  assert.deepEqual(decodePageCursor(`1.${id}`), { at: 1, id });
  for (const text of ['', 'x', `.${id}`, `1.${id}x`, `${'1'.repeat(16)}.${id}`, `-1.${id}`, ` 1.${id}`])
    assert.equal(decodePageCursor(text), null, text);
});
