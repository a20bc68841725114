/** The numbers as a page: sentences first, and nothing about agents and orders for who may not see them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk-program/model/desk-work.ts';
import { createPageVisitor, readPage } from './asked-pages.ts';
import { createMadeUpOffice } from './made-up-office.ts';

test('the numbers are sentences and a table, and what the office calls a state is text', async () => {
  const office = createMadeUpOffice();
  const ask = createPageVisitor(new DeskWork({ office, outFolder: null, templatesFolder: null }));
  const { html, title } = readPage(await ask('GET', '/numbers'));
  assert.match(html, /Nothing is late\..*No buyer waits for an answer\./);
  assert.doesNotMatch(html, /agent|order/);
  assert.equal(title, 'Desk: numbers');
  const numbers = await office.readNumbers();
  const cases = { awaiting_client: 3, '<b>': 1 };
  office.readNumbers = () =>
    Promise.resolve({ ...numbers, cases, late: 1, unanswered: 2, agents: 1, orders: 0 });
  const busy = readPage(await ask('GET', '/numbers')).html;
  for (const text of ['1 case is late.', 'In 2 cases the buyer wrote last.', '1 agent to decide about.'])
    assert.ok(busy.includes(text), text);
  assert.match(busy, /awaiting client<\/th><td data-label="Cases">3</);
  assert.match(busy, /&lt;b&gt;<\/th>/);
});
