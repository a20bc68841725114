/** What a copy of the records leaves out, because it must end sooner than any backup. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { readConfig } from '#platform/config/config.ts';
import { createDraftHalf, readDraftHalf } from '#store/cases/draft-keys.ts';
import { openRecordsSnapshot } from '#store/engine/records-snapshot.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openPostgresEngine, openTestStore, sqliteUnderTest, testKeyring } from './engines.ts';

const cleanUp = withReverseCleanup({ after });

for (const engine of [sqliteUnderTest, await openPostgresEngine(cleanUp)])
  test(`a copy of the records has no half of the key of a draft, no address for notices and no session of the desk, on ${engine.name}`, async (t) => {
    const { env } = await engine.createDatabase(cleanUp);
    const { records } = await openTestStore(t, { env });
    const form = { keyring: testKeyring, sessionId: 'cs_test_draft', now: Date.now() };
    const half = await createDraftHalf(records, form);
    assert.equal(await readDraftHalf(records, form), half);
    const snapshot = await openRecordsSnapshot(readConfig(env));
    const names: string[] = [];
    for await (const { name } of snapshot.tables()) names.push(name);
    await snapshot.close();
    assert.ok(names.includes('orders'));
    assert.ok(!names.includes('draft_keys'));
    assert.ok(!names.includes('notices'));
    assert.ok(!names.some((name) => /^desk_(?:challenges|sessions)$/.test(name)));
  });
