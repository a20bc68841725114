/** What the documents and the example repeat of a case is what the code says. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#store/column-values.ts';

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const agents = await readText('docs/agents.md');
const desk = await readText('docs/desk.md');

test('the documents name every state of a case and of its call, and who may have sealed it', () => {
  for (const state of CASE_STATES) assert.ok(agents.includes(`\`${state}\``), state);
  for (const name of [...CASE_STATES, ...CALL_STATES, ...SEALED_BY])
    assert.ok(desk.includes(`\`${name}\``), name);
});

test('the example treats every state of a case', async () => {
  const example = await readText('examples/agent.ts');
  for (const state of CASE_STATES) assert.ok(example.includes(`case '${state}':`), state);
});
