/** Decisions about orders, agents and contact messages stay in the audit log until their subject is deleted. */

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { createPurger } from '#cases/ending/purge.ts';
import { receiveContactMessage } from '#cases/intake/contact.ts';
import { createRegistration } from '#clients/registration.ts';
import { rejectPendingRegistrations } from '#clients/registration-decision.ts';
import { markOrdersReviewed } from '#payments/order-decisions.ts';
import { deleteOldOrders } from '#payments/sweep.ts';
import { DAY_MS } from '#platform/durations.ts';
import { chainAuditEntries, findAuditHead, listAuditChain } from '#store/audit-log.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { checkAuditChain } from '#test/store/audit-check.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import type { DeskContact } from '#wire/desk-lists.ts';
import { SAMPLE_REGISTRATION } from './changed-team.ts';
import { buildDeskApp, signInAtDesk } from './desk-client.ts';

const cleanUp = withReverseCleanup({ after });

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp)))
  test(`what owners and investigators decide is in the audit log and goes with its subject, on ${engine}`, async (t) => {
    const people = { ana: 'owner', ben: 'investigator' } as const;
    const office = await buildDeskApp(t, people, { env });
    const { services, store } = office;
    const ana = await signInAtDesk(office, office.keys.ana);
    const ben = await signInAtDesk(office, office.keys.ben);
    // Chained after each act: entries chained together are ordered by time, and an order has the day alone.
    const post = async (desk: typeof ana, path: string, body?: unknown) => {
      const { status } = await desk.send(path, { method: 'POST', body });
      await chainAuditEntries(store);
      return status;
    };
    const readEntries = async () => {
      await chainAuditEntries(store);
      return (await listAuditChain(store.records, { after: 0, limit: 100 })).map(
        ({ entry }) => JSON.parse(entry ?? 'null') as Record<string, string | null> | null,
      );
    };
    const register = async () => (await createRegistration(services, SAMPLE_REGISTRATION)).id;

    const bad = createSampleOrder({ payment: 'quarantined', revision: 1 });
    const other = createSampleOrder({ payment: 'disputed', revision: 1 });
    const held = createSampleOrder({ payment: 'paid', revision: 1, on_hold: 1, check_at: null });
    for (const order of [bad, other, held]) await store.transaction((records) => insertOrder(records, order));
    assert.equal(await post(ana, `/orders/${bad.id}/done`), 204);
    assert.equal(await post(ana, `/orders/${bad.id}/done`), 404, 'what is refused leaves no entry');
    await assert.rejects(markOrdersReviewed(services, [other.id, bad.id], null), { code: 'not_found' });
    await markOrdersReviewed(services, [other.id], null);
    await chainAuditEntries(store);
    assert.equal(await post(ana, `/orders/${held.id}/release`), 204);
    assert.equal(await post(ana, `/orders/${held.id}/release`), 404);
    const agent = await register();
    const granted = { decision: 'approve', scopes: ['pricing:read'], grants: ['client_credentials'] };
    assert.equal(await post(ana, `/agents/${agent}`, { decision: 'approve' }), 409);
    assert.equal(await post(ana, `/agents/${agent}`, granted), 200);
    assert.equal(await post(ana, `/agents/${agent}`, { decision: 'reject' }), 200);
    const second = await register();
    assert.deepEqual(await rejectPendingRegistrations(services, [agent, second], null), [second]);
    await receiveContactMessage(services, { topic: 'question', message: 'What?', reply_to: '' });
    const { json } = await ben.send('/contact');
    const { id: message = '' } = (json as unknown as DeskContact).messages[0] ?? {};
    assert.equal(await post(ben, `/contact/${message}/done`), 204);
    assert.equal(await post(ben, `/contact/${message}/done`), 409);

    const entries = await readEntries();
    const [owner, investigator] = [ana.session.holder, ben.session.holder];
    assert.deepEqual(
      entries.map((entry) => {
        const { at: _at, ...said } = entry ?? {};
        return said;
      }),
      [
        { by: owner, act: 'attend_order', order: bad.id },
        { by: null, act: 'attend_order', order: other.id },
        { by: owner, act: 'release_order', order: held.id },
        { by: owner, act: 'approve_agent', agent },
        { by: owner, act: 'reject_agent', agent },
        { by: null, act: 'reject_agent', agent: second },
        { by: investigator, act: 'handle_contact', contact: message },
      ],
    );
    for (const entry of entries) {
      const isDay = entry?.['at']?.endsWith('T00:00:00.000Z');
      assert.equal(isDay, 'order' in (entry ?? {}), 'an order’s day alone');
    }
    const seen = await findAuditHead(store.records);
    assert.equal((await checkAuditChain(store.records, seen)).fault, null);

    // Much later, the sweeps delete everything except the order that is paid and unused.
    const later = { now: () => Date.now() + 4_000 * DAY_MS };
    const dated = { ...services, clock: later };
    await deleteOldOrders(dated, 1);
    await deleteExpiredRows(store.records, 'registrations', later.now(), 100);
    await createPurger({ ...dated, ...createTrustedClock(later) }, services.log).run();
    const left = await readEntries();
    assert.deepEqual(
      left.map((entry) => entry?.['order'] ?? null),
      [null, null, held.id, null, null, null, null],
    );
    const rows = JSON.stringify(await listAuditChain(store.records, { after: 0, limit: 100 }));
    for (const trace of [bad.id, other.id, agent, second, message]) assert.ok(!rows.includes(trace), trace);
    const { fault, cleared } = await checkAuditChain(store.records, seen);
    assert.deepEqual([fault, cleared], [null, 6]);
  });
