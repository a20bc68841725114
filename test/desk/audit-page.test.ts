/** The audit log as a page: names instead of ids and keys, and a warning that can be answered after a restore. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import { formatInvestigatorKey } from '#desk/office/office-people.ts';
import { nameCase } from '#wire/case-name.ts';
import { assertFormTokens, createPageVisitor, readPage, readRedirect } from './asked-pages.ts';
import { COLLEAGUE, createMadeUpOffice, OWN_HOLDER } from './made-up-office.ts';

const ID = 'pDtv2eGUQgcgaaaaaaaaaa';

test('the log names people and cases, and says what is wrong with it', async () => {
  const office = createMadeUpOffice();
  const ask = createPageVisitor(new DeskWork({ office, outFolder: null, templatesFolder: null }));
  assert.match(readPage(await ask('GET', '/log')).html, /Nothing has been done yet/);
  const at = new Date().toISOString();
  const lines = [
    { by: OWN_HOLDER, act: 'take_over', case: ID },
    { by: COLLEAGUE, act: 'read', case: ID },
    { by: null, act: 'reseal' },
    { by: null, act: 'attend_order', order: ID },
    { by: OWN_HOLDER, act: 'approve_agent', agent: ID },
    { by: COLLEAGUE, act: 'handle_contact', contact: ID },
  ].map((said, index) => ({ number: 9 - index, said: { at, ...said }, isEmptied: false }));
  const emptied = { number: 5, said: null, isEmptied: true };
  office.audit = { entries: [...lines, emptied], older: 5, total: 9, checked: 9, head: '9:x', fault: null };
  const { html, title } = readPage(await ask('GET', '/log?before=1e9'));
  for (const text of [
    'You',
    'reassigned to self',
    `Kim (key ${formatInvestigatorKey(COLLEAGUE)})`,
    'The command line',
    'settled',
    'an order',
    'approved',
    'an agent',
    'a contact message',
    'deleted with what it was about',
    at.slice(0, 10),
  ])
    assert.ok(html.includes(`>${text}<`), text);
  assert.ok(html.includes(`<a href="/cases/${ID}">${nameCase(ID)}</a>`));
  assert.match(html, /9 entries; the chain holds/);
  assert.match(html, /href="\/log\?before=5"/);
  assert.equal(title, 'Desk: log');

  office.audit = { ...office.audit, fault: { text: 'It is <shorter>.', mayBeRestored: true } };
  const warned = readPage(await ask('GET', '/log')).html;
  assert.match(warned, /role="alert"><h2>The log cannot be trusted<\/h2><p>It is &lt;shorter&gt;\.<\/p>/);
  assert.doesNotMatch(warned, /the chain holds/);
  assertFormTokens(warned, '/log');
  assert.equal(readRedirect(await ask('POST', '/log/accept', { head: '9:x' })), '/log');
  assert.deepEqual(office.sent, ['9:x']);
});

test('the log is filtered by person and case over all its pages, and sealing anew is one line', async () => {
  const office = createMadeUpOffice();
  const ask = createPageVisitor(new DeskWork({ office, outFolder: null, templatesFolder: null }));
  const other = 'Q1aaaaaaaaaaaaaaaaaaaa';
  const at = new Date().toISOString();
  const all = Array.from({ length: 600 }, (_, index) => ({
    number: 600 - index,
    said:
      index < 30
        ? { at, by: null, act: 'reseal', case: ID }
        : { at, by: index === 599 ? COLLEAGUE : OWN_HOLDER, act: 'read', case: index === 450 ? other : ID },
    isEmptied: false,
  }));
  office.readAudit = (before = 601) => {
    const entries = all.filter(({ number }) => number < before).slice(0, 200);
    const last = entries.at(-1)?.number ?? 0;
    return Promise.resolve({
      ...office.audit,
      entries,
      older: last > 1 ? last : null,
      total: 600,
      checked: 600,
    });
  };
  const countRows = async (path: string) =>
    readPage(await ask('GET', path)).html.match(/<tr><th scope="row">/g)?.length;
  const first = readPage(await ask('GET', '/log')).html;
  assert.match(first, /sealed anew<\/td><td>30 cases/);
  assert.equal(first.match(/<tr><th scope="row">/g)?.length, 171);
  assert.equal(await countRows(`/log?by=${COLLEAGUE}`), 1);
  assert.equal(await countRows(`/log?case=${encodeURIComponent(nameCase(other))}`), 1);
  assert.equal(await countRows(`/log?case=${other.slice(0, 5)}`), 1);
  assert.equal(await countRows(`/log?by=${COLLEAGUE}&case=${other}`), undefined);
  const { html } = readPage(await ask('GET', `/log?by=${OWN_HOLDER}`));
  assert.match(
    html,
    new RegExp(`href="/log\\?by=${OWN_HOLDER}&(amp;|#38;)before=201"`),
    'it goes on with the filter',
  );
});
