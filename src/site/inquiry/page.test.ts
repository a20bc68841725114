import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH, findServedLanguage } from '#language/languages.ts';
import { generateWords } from '#seal/core/words.ts';
import { inquirySectionNames, listSectionControls } from '#seal/form/inquiry-form.ts';
import { inquirySections } from '#seal/form/inquiry-sections.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import type { Order } from '#store/orders/orders.ts';
import { renderInquiryPage } from './page.ts';

const services = {
  addresses: { site: 'https://office.example' },
  keyring: createKeyring(generateMasterKey()),
  contactWays: ['email', 'phone', 'signal', 'other'] as const,
  terms: { version: 'version', text: '' },
  sealingKeys: Promise.resolve({
    desk: ['age1desk'],
    recovery: 'age1recovery',
    privateKeyFiles: [],
    set: 'set',
  }),
};
const order = { id: 'order-1', tier: 'Dossier', amount: 19_900 } as Order;
const state = { language: ENGLISH, words: generateWords(), fields: new Map(), faults: [] };
const { main } = await renderInquiryPage(services, { sessionId: 'session', order }, state);
const page = String(main);

test('the form shows every section with all its controls, but for the call, which is agreed on at the case page', () => {
  const groups = page.split('<fieldset class="group">').slice(1);
  assert.equal(groups.length, inquirySectionNames.length);
  for (const [index, section] of inquirySectionNames.entries()) {
    const { controls } = inquirySections[section];
    const title = ENGLISH.say(`section.${section}`);
    const fields = listSectionControls(section).flatMap(({ name, field }) =>
      field.kind === 'call_windows' || field.kind === 'call_number' ? [] : name,
    );
    assert.ok(groups[index]?.startsWith(`<legend><h2>${title}</h2></legend>`), title);
    for (const name of [...controls, ...fields])
      assert.ok(groups[index]?.includes(` id="${name}" name="${name}"`), `${name} in ${title}`);
  }
});

test('the heading of the form comes before any other', () => {
  assert.match(page, /^(?:(?!<h[2-6])[\s\S])*<h1>/);
});

test('the box that keeps a draft is named in a few words, and what it does stands beside its name', () => {
  const [, label = ''] = /<label[^>]*>(<input[^>]* id="keep-draft"[\s\S]*?)<\/label>/.exec(page) ?? [];
  assert.equal(label.replace(/<[^>]+>/g, ''), ENGLISH.say('draft.keep'), 'a screen reader says all of it');
  assert.ok(page.includes(ENGLISH.say('draft.keep.hint')));
});

test('what is read beside the form opens in a tab of its own, and says so', () => {
  const [form = ''] = page.split('<template');
  const links = form.match(/<a href="\/[\s\S]*?<\/a>/g) ?? [];
  const paths = links.map((link) => /href="(\/\w+)/.exec(link)?.[1]);
  assert.deepEqual(new Set(paths), new Set(['/safety', '/terms', '/refunds']));
  for (const link of links) {
    assert.match(link, /^<a href="[^"]+" target="_blank" rel="noopener">/);
    assert.ok(link.includes(ENGLISH.say('form.apart')), link);
  }
});

test('the slip says what was paid, in dollars that no reader takes for pesos', async () => {
  for (const [tag, paid] of [
    ['en', '<dd>$199.00</dd>'],
    ['es', '<dd>US$199.00</dd>'],
  ] as const) {
    const language = findServedLanguage(tag) ?? assert.fail();
    const slip = await renderInquiryPage(services, { sessionId: 'session', order }, { ...state, language });
    assert.ok(String(slip.main).includes(paid), tag);
  }
});
