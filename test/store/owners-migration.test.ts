/** A database of 0.1.0: its grants can be seen and ended by their person, and its cases keep the tag of the client. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import { listUserGrants, revokeAllUserGrants, revokeUserGrant } from '#store/grants.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore, type TestDatabase } from './engines.ts';
import { withFormerDatabase } from './former-database.ts';

const cleanUp = withReverseCleanup({ after });
const FIRST_STEP = 'no tag of the user';
const LATER = 2_000_000_000_000;

for (const engine of await listEngines(cleanUp))
  test(`what 0.1.0 stored about owners is there after the upgrade, on ${engine.name}`, async (t) => {
    const place = await engine.createDatabase(cleanUp);
    const { id } = await fillFormerDatabase(place);
    const { records } = await openTestStore(t, place);
    const page = { now: 1_000, limit: 10 };
    assert.deepEqual(
      (await listUserGrants(records, 'ann', page)).map(({ clientName, payload }) => [
        clientName,
        JSON.parse(payload).accountId,
      ]),
      [['Old Agent', 'ann']],
    );
    assert.deepEqual(await listUserGrants(records, 'bob', page), []);
    assert.equal(await revokeUserGrant(records, 'bob', 'grant'), false);
    await revokeAllUserGrants(records, 'bob');
    assert.equal((await records.selectFrom('tokens').select('id').execute()).length, 5);
    assert.equal(await revokeUserGrant(records, 'ann', 'grant'), true);
    await revokeAllUserGrants(records, 'eve');
    const left = await records.selectFrom('tokens').select(['id', 'user_id']).execute();
    assert.deepEqual(
      left.map((row) => [row.id, row.user_id]),
      [['interaction', null]],
    );
    const stored = await records.selectFrom('cases').selectAll().execute();
    assert.deepEqual(
      stored.map((row) => [row.id, row.owner, 'user_tag' in row]),
      [[id, 'tag of the client', false]],
    );
  });

async function fillFormerDatabase(place: TestDatabase) {
  return await withFormerDatabase(place, FIRST_STEP, async ({ records, seed }) => {
    const { record } = await seed({ owner: 'tag of the client' });
    await sql`update cases set user_tag = 'tag of the user'`.execute(records);
    const client = { id: 'client', name: 'Old Agent', secret_hash: 'hash', status: 'active' } as const;
    const rest = {
      scopes: '',
      grants: '',
      redirect_uris: '[]',
      credentials: 'bearer',
      created_at: 1,
    } as const;
    await records
      .insertInto('clients')
      .values({ ...client, ...rest })
      .execute();
    const shared = { client_id: 'client', grant_id: 'value', uid_hash: null, consumed_at: null };
    const payload = JSON.stringify({ accountId: 'ann', clientId: 'client', iat: 1, resources: {} });
    const grantOfEve = {
      ...shared,
      payload: payload.replace('ann', 'eve'),
      grant_id: 'another value',
      expires_at: LATER,
    };
    await records
      .insertInto('tokens')
      .values([
        { id: 'grant', kind: 'Grant', payload, ...shared, expires_at: LATER },
        { id: 'refresh', kind: 'RefreshToken', payload, ...shared, expires_at: LATER },
        { ...grantOfEve, id: 'grant of eve', kind: 'Grant' },
        { ...grantOfEve, id: 'token of eve', kind: 'AccessToken' },
        // Encrypted, so no JSON.
        { id: 'interaction', kind: 'Interaction', payload: 'bm9uZQ', expires_at: LATER },
      ])
      .execute();
    return record;
  });
}
