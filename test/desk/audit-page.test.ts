/** The audit log as a page: names instead of ids and keys, and a warning that can be answered after a restore. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { AuditReader, OfficeAudit } from '#desk/office/audit-reader.ts';
import { formatInvestigatorKey } from '#desk/office/office-people.ts';
import { nameCase } from '#wire/case-name.ts';
import { assertFormTokens, openDeskPages, readPage, readRedirect } from './asked-pages.ts';
import { startScriptedOffice } from './scripted-office.ts';

const ID = 'pDtv2eGUQgcgaaaaaaaaaa';
const EMPTY: OfficeAudit = { entries: [], older: null, total: 0, checked: 0, head: '', fault: null };

async function openLog(t: TestContext, readAudit: (before?: number) => OfficeAudit) {
  const { connectConfirmed, people } = await startScriptedOffice(t);
  const accepted: string[] = [];
  const office = Object.assign(await connectConfirmed(), {
    audit: {
      read: async (before?: number) => readAudit(before),
      accept: async (shown: string) => void accepted.push(shown),
    } as AuditReader,
  });
  const [own = '', colleague = ''] = people.map(({ holder }) => holder);
  return { ...openDeskPages(office), accepted, own, colleague };
}

test('the log names people and cases, and says what is wrong with it', async (t) => {
  let audit = EMPTY;
  const { ask, show, accepted, own, colleague } = await openLog(t, () => audit);
  assert.match(await show('/log'), /Nothing has been done yet/);
  const at = new Date().toISOString();
  const lines = [
    { by: own, act: 'take_over', case: ID },
    { by: colleague, act: 'read', case: ID },
    { by: null, act: 'reseal' },
    { by: null, act: 'attend_order', order: ID },
    { by: own, act: 'approve_agent', agent: ID },
    { by: colleague, act: 'handle_contact', contact: ID },
  ].map((said, index) => ({ number: 9 - index, said: { at, ...said }, isEmptied: false }));
  const emptied = { number: 5, said: null, isEmptied: true };
  audit = { entries: [...lines, emptied], older: 5, total: 9, checked: 9, head: '9:x', fault: null };
  const { html, title } = readPage(await ask('GET', '/log?before=1e9'));
  for (const text of [
    'You',
    'reassigned to self',
    `Bo (key ${formatInvestigatorKey(colleague)})`,
    'The command line',
    'settled',
    'an order',
    'approved',
    'an agent',
    'a contact message',
    'deleted with its subject',
    at.slice(0, 10),
  ])
    assert.ok(html.includes(`>${text}<`), text);
  assert.ok(html.includes(`<a href="/cases/${ID}">${nameCase(ID)}</a>`));
  assert.match(html, /9 entries; the hash chain is intact/);
  assert.match(html, /href="\/log\?before=5"/);
  assert.equal(title, 'Desk: log');

  audit = { ...audit, fault: { text: 'It is <shorter>.', mayBeRestored: true } };
  const warned = await show('/log');
  assert.match(warned, /role="alert"><h2>The log cannot be trusted<\/h2><p>It is &lt;shorter&gt;\.<\/p>/);
  assert.doesNotMatch(warned, /the hash chain is intact/);
  assertFormTokens(warned, '/log');
  assert.equal(readRedirect(await ask('POST', '/log/accept', { head: '9:x' })), '/log');
  assert.deepEqual(accepted, ['9:x']);
});

test('the log is filtered by person and case over all its pages, and sealing anew is one line', async (t) => {
  const other = 'Q1aaaaaaaaaaaaaaaaaaaa';
  const at = new Date().toISOString();
  const { show, own, colleague } = await openLog(t, (before = 601) => {
    const entries = all.filter(({ number }) => number < before).slice(0, 200);
    const last = entries.at(-1)?.number ?? 0;
    return { ...EMPTY, entries, older: last > 1 ? last : null, total: 600, checked: 600 };
  });
  const all = Array.from({ length: 600 }, (_, index) => ({
    number: 600 - index,
    said:
      index < 30
        ? { at, by: null, act: 'reseal', case: ID }
        : { at, by: index === 599 ? colleague : own, act: 'read', case: index === 450 ? other : ID },
    isEmptied: false,
  }));
  const countRows = async (path: string) => (await show(path)).match(/<tr><th scope="row">/g)?.length;
  const first = await show('/log');
  assert.match(first, /sealed again<\/td><td>30 cases/);
  assert.equal(first.match(/<tr><th scope="row">/g)?.length, 171);
  assert.equal(await countRows(`/log?by=${colleague}`), 1);
  assert.equal(await countRows(`/log?case=${encodeURIComponent(nameCase(other))}`), 1);
  assert.equal(await countRows(`/log?case=${other.slice(0, 5)}`), 1);
  assert.equal(await countRows(`/log?by=${colleague}&case=${other}`), undefined);
  const html = await show(`/log?by=${own}`);
  assert.match(
    html,
    new RegExp(`href="/log\\?by=${own}&(amp;|#38;)before=201"`),
    'it goes on with the filter',
  );
});
