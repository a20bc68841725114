/** The numbers as a page: sentences above bars, and nothing about agents and orders for who may not see them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import { createPageVisitor, readPage } from './asked-pages.ts';
import { createMadeUpOffice } from './made-up-office.ts';

test('the numbers are sentences and bars, and what the office calls a state is text', async () => {
  const office = createMadeUpOffice();
  const ask = createPageVisitor(new DeskWork({ office, outFolder: null, templatesFolder: null }));
  const { html, title } = readPage(await ask('GET', '/numbers'));
  assert.match(html, /Nothing is late, nothing else is due within a day[\s\S]*No buyer waits for an answer/);
  assert.doesNotMatch(html, /\/agents|\/orders/);
  assert.equal(title, 'Desk: numbers');
  const numbers = await office.readNumbers();
  const cases = { awaiting_client: 3, '<b>': 1 };
  office.readNumbers = () =>
    Promise.resolve({ ...numbers, cases, late: 1, unanswered: 2, agents: 1, orders: 0 });
  const busy = readPage(await ask('GET', '/numbers')).html;
  for (const text of [
    '1 case is late, ',
    'In 2 cases the buyer wrote last',
    'Agents to decide about</dt><dd><a href="/agents">1<',
  ])
    assert.ok(busy.includes(text), text);
  assert.match(busy, /Waits for the buyer<\/th><td><span class="figure">3</);
  assert.match(busy, /<svg class="late"[^>]*><rect width="50"/);
  assert.match(busy, /&lt;b&gt;<\/th>/);
});
