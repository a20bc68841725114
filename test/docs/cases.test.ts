/** What the documents and the agent repeat about a case is what the code says. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { DELIVERY_HOURS } from '#payments/tiers.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';
import { UPLOAD_LIFETIME_MS } from '#store/cases/object-deletion.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#wire/case-states.ts';

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const agents = await readText('docs/agents.md');
const operating = await readText('docs/operating.md');
const desk = await readText('docs/desk.md');

test('the documents name every state of a case and of its call, and where it may have been sealed', () => {
  for (const state of CASE_STATES) assert.ok(agents.includes(`\`${state}\``), state);
  for (const name of [...CASE_STATES, ...CALL_STATES, ...SEALED_BY])
    assert.ok(desk.includes(`\`${name}\``), name);
});

test('the documents give the times of the code', () => {
  const documented: readonly (readonly [document: string, sentence: string])[] = [
    [operating, `due ${DELIVERY_HOURS} hours after the inquiry was sent`],
    [operating, `never became a case are deleted after ${UPLOAD_LIFETIME_MS / HOUR_MS} hours`],
    [agents, `| \`Idempotency-Key\` | ${IDEMPOTENCY_KEY_HOURS} hours, and`],
  ];
  for (const [document, sentence] of documented) assert.ok(document.includes(sentence), sentence);
});

test('the agent handles every state of a case', async () => {
  const agent = await readText('examples/agent/conversation.ts');
  for (const state of CASE_STATES) assert.ok(agent.includes(`case '${state}':`), state);
});
