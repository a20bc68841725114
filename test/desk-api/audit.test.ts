/** The audit log through the desk API: readings and acts have entries, and a desk can verify the chain from a head. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { advanceAuditHead, FIRST_AUDIT_HEAD, hashAuditEntry } from '#seal/core/audit-chain.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { type DeskAudit, DeskAuditSchema } from '#wire/desk-audit.ts';
import { buildDeskApp, requireFit, type SignedInDesk, signInAtDesk } from './desk-client.ts';
import { insertPlantedCase } from './planted-case.ts';

const cleanUp = withReverseCleanup({ after });

const readAudit = (desk: SignedInDesk, query = '') =>
  requireFit(desk.send(`/audit${query}`), DeskAuditSchema);

/** Verifies the chain from a head, as a desk does that remembers one. */
function assertChain({ entries, head }: DeskAudit, from = FIRST_AUDIT_HEAD): void {
  let last = from;
  for (const { number, entry_hash: entryHash, salt, entry } of entries) {
    assert.equal(number, last.number + 1);
    if (salt !== null && entry !== null) assert.equal(hashAuditEntry(salt, entry), entryHash);
    last = advanceAuditHead(last, entryHash);
  }
  assert.deepEqual({ ...head }, last);
}

function listActs({ entries }: DeskAudit): unknown[] {
  return entries.map(({ entry }) => (JSON.parse(entry ?? 'null') as { act: string } | null)?.act ?? null);
}

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp)))
  test(`readings and acts are in the log, once for each visit, and a purge leaves hashes, on ${engine}`, async (t) => {
    const office = await buildDeskApp(t, { ana: 'owner', ben: 'investigator' }, { env });
    const ana = await signInAtDesk(office, office.keys.ana);
    const ben = await signInAtDesk(office, office.keys.ben);
    const { id } = await insertPlantedCase(office);
    assertChain(await readAudit(ana, '?after=0'));
    // First a file without its case, in pieces, then the case again.
    for (const piece of [1, 0]) await ben.send(`/cases/${id}/objects/inquiry-file.v1/0/pieces/${piece}`);
    await ben.send(`/cases/${id}`);
    await ana.send(`/cases/${id}`);
    await ben.send(`/cases/${id}/acts`, { method: 'POST', body: { act: 'take' } });
    await ben.send(`/cases/${id}`);
    const seen = await readAudit(ana, '?after=0');
    assertChain(seen);
    assert.deepEqual(listActs(seen), ['read', 'read', 'take']);
    assert.deepEqual(
      seen.entries.map(({ entry }) => (JSON.parse(entry ?? '{}') as { by: string }).by),
      [ben, ana, ben].map(({ session }) => session.holder),
    );
    assert.deepEqual(listActs(await readAudit(ben, `?case=${id}`)), ['take', 'read', 'read']);
    assert.deepEqual(listActs(await readAudit(ben, '?before=3')), ['read', 'read']);
    assert.deepEqual(listActs(await readAudit(ben, '?case=unknown')), []);
    await ana.send('/cases/q1Zl7yBq3mJx0c2y8l4QxA');
    assert.equal((await readAudit(ana)).head.number, 3, 'what is not there is not read');
    const ended = { state: 'declined', purge_at: Date.now() + 86_400_000 } as const;
    await office.store.records.updateTable('cases').set(ended).where('id', '=', id).execute();
    const purged = await ana.send(`/cases/${id}/acts`, { method: 'POST', body: { act: 'purge_now' } });
    assert.equal(purged.status, 200, purged.text);
    const left = await readAudit(ana, `?after=${seen.head.number}`);
    assertChain(left, seen.head);
    assert.ok(!JSON.stringify(await readAudit(ana, '?after=0')).includes(id), 'nothing of the case is left');
    assertChain(await readAudit(ana, '?after=0'));
    for (const query of ['after=-1', 'after=x', `after=0&case=${id}`, 'after=0&before=1', 'more=1']) {
      const { status } = await ben.send(`/audit?${query}`);
      assert.equal(status, 422, query);
    }
  });
