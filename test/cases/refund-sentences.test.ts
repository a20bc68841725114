/** The page of a declined, withdrawn or late case says what happens to the payment, in the operator's words. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadSiteContent } from '#content/site-content.ts';
import { ENGLISH } from '#language/languages.ts';
import { formatTimedText } from '#language/timed-text.ts';
import { readConfig } from '#platform/config/config.ts';
import { toCaseOverview } from '#site/case/view-model.ts';
import type { Case } from '#store/cases/cases.ts';

const { refundSentences: refunds } = (await loadSiteContent(readConfig({}))).content;
const NOW = Date.UTC(2026, 10, 16);
const record = {
  tier: 'Trace',
  state: 'received',
  call: 'none',
  sealed_by: 'browser',
  keep_days: 30,
  submitted_at: NOW - 1_000,
  due_at: NOW + 1_000,
  delivered_at: null,
  taken_at: null,
  released_at: null,
  state_on_hold: null,
  purge_at: null,
  shortened_from: null,
} as Case;

const cases: [name: string, changes: Partial<Case>, section: keyof typeof refunds | null][] = [
  ['on time', {}, null],
  ['late', { due_at: NOW - 1 }, 'late'],
  ['late, with a question of ours', { due_at: NOW - 1, state: 'awaiting_client' }, 'late'],
  ['declined', { state: 'declined', due_at: NOW - 1, purge_at: NOW + 1 }, 'declined'],
  ['withdrawn unopened', { state: 'withdrawn', purge_at: NOW + 1 }, 'withdrawn'],
  ['withdrawn after it was opened', { state: 'withdrawn', taken_at: NOW - 9, purge_at: NOW + 1 }, 'opened'],
  ['delivered late', { state: 'delivered', delivered_at: NOW, due_at: NOW - 1, purge_at: NOW + 1 }, null],
];
for (const [name, changes, section] of cases)
  test(`a case that is ${name} names ${section ? 'its rule' : 'no rule'} about the money`, () => {
    const { money } = toCaseOverview({ ...record, ...changes }, { now: NOW, language: ENGLISH, refunds });
    assert.equal(money.at(-1), section === null ? undefined : refunds[section]());
  });

test('before a case is withdrawn it says what becomes of the money, and when it was opened', () => {
  const say = (changes: Partial<Case>) =>
    formatTimedText(
      toCaseOverview({ ...record, ...changes }, { now: NOW, language: ENGLISH, refunds }).withdrawal,
    );
  assert.match(say({}), /^No investigator has opened your case\. You get a full refund\./);
  assert.match(
    say({ state: 'in_progress', taken_at: NOW }),
    /^An investigator opened your case on Monday 16 November, 00:00 UTC\. You don’t get your money back/,
  );
});
