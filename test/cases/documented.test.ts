/** What the documents and the example repeat of a case is what the code says. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import {
  CONTACT_DAYS,
  CONTACT_DONE_DAYS,
  DECLINED_DAYS,
  TOMBSTONE_DAYS,
  WITHDRAWN_HOURS,
} from '#cases/retention.ts';
import { UPLOAD_LIFETIME_MS } from '#cases/uploads.ts';
import { DELIVERY_HOURS } from '#payments/tiers.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';
import { formatDurationInWords } from '#platform/spelled-duration.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#store/column-values.ts';

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const agents = await readText('docs/agents.md');
const operating = await readText('docs/operating.md');
const desk = await readText('docs/desk.md');

test('the documents name every state of a case and of its call, and who may have sealed it', () => {
  for (const state of CASE_STATES) assert.ok(agents.includes(`\`${state}\``), state);
  for (const name of [...CASE_STATES, ...CALL_STATES, ...SEALED_BY])
    assert.ok(desk.includes(`\`${name}\``), name);
});

test('the documents tell when things are due and when they go', () => {
  const told: readonly (readonly [document: string, sentence: string])[] = [
    [operating, `from the moment it was sent, ${DELIVERY_HOURS} hours`],
    [operating, `| declined | after ${DECLINED_DAYS} days |`],
    [operating, `| withdrawn | after ${WITHDRAWN_HOURS} hours |`],
    [
      operating,
      `goes ${CONTACT_DONE_DAYS} days after \`contact done\`, and ${CONTACT_DAYS} days after it came`,
    ],
    [operating, `never became a case go after ${UPLOAD_LIFETIME_MS / HOUR_MS} hours`],
    [operating, `for ${TOMBSTONE_DAYS} days also the day`],
    [desk, `purged after ${formatDurationInWords(DECLINED_DAYS * DAY_MS)}`],
    [desk, `purged ${CONTACT_DONE_DAYS} days later, and ${CONTACT_DAYS} days after it came`],
    [agents, `| \`Idempotency-Key\` | ${IDEMPOTENCY_KEY_HOURS} hours |`],
  ];
  for (const [document, sentence] of told) assert.ok(document.includes(sentence), sentence);
});

test('the example treats every state of a case', async () => {
  const example = await readText('examples/agent.ts');
  for (const state of CASE_STATES) assert.ok(example.includes(`case '${state}':`), state);
});
