/** The names that a page and its script share: each of them is on a page. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH } from '#language/languages.ts';
import { renderSignInPage } from '#oauth/sign-in/pages.ts';
import { ASKED_WORD_CONTROLS } from '#seal/form/inquiry-sections.ts';
import { renderCaseLookupPage } from '#site/case/find-page.ts';
import { renderFinding } from '#site/case/page.ts';
import { renderContactPage } from '#site/contact/page.ts';
import { renderInquiryPage } from '#site/inquiry/page.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import type { Order } from '#store/orders/orders.ts';
import { loadAssets } from '#view/assets.ts';
import { type HtmlPage, renderPage } from '#view/page.ts';
import { CASE_FORM_FIELDS, CASE_PARTS, CASE_SLOTS, CASE_TEMPLATES, FIND_FORM_ID } from '#wire/case-page.ts';
import { CONTACT_FIELDS, CONTACT_FORM_ID } from '#wire/contact-page.ts';
import {
  DANGER_FIELD,
  IMMEDIATE_DANGER,
  INQUIRY_FORM_ID,
  INQUIRY_HIDDEN_FIELDS,
  INQUIRY_PART_IDS,
  INQUIRY_SENT_SLOTS,
} from '#wire/inquiry-page.ts';
import {
  DATA_KEYS,
  ERROR_CLASS,
  FIELD_CLASS,
  PART_IDS,
  SEALED_WHERE,
  SENT_TEMPLATE,
  toErrorId,
  WORDS_FIELD,
  WRONG_CLASS,
} from '#wire/page-parts.ts';
import { FORM_TOKEN_FIELD, WORDS_FORM_ID } from '#wire/sign-in-page.ts';

const assets = await loadAssets();
await assets.waitForScripts();
const frame = {
  site: 'https://site.example',
  siteName: 'Site',
  maintainer: 'maintainer',
  operator: { name: 'Operator', address: 'Address' },
  assets,
};
const renderText = (page: HtmlPage) => renderPage(frame, page);
const step = {
  uid: 'u',
  formToken: 't',
  clientName: 'C',
  ownName: null,
  redirectUri: 'https://c.example/',
  siteName: 'Site',
  language: ENGLISH,
};
const fault = { field: 'message', message: 'Something is wrong' } as const;
const inquiryFault = { field: 'question', message: fault.message } as const;

/** Each has a fault, so that everything that the page may show is there. */
const casePage = renderText(renderCaseLookupPage(ENGLISH, fault.message));
const contactPage = renderText(
  renderContactPage({ language: ENGLISH, keys: { desk: ['age1desk'], set: 'set' }, faults: [fault] }),
);
const signInPage = renderText(renderSignInPage(step, { field: WORDS_FIELD, message: fault.message }));
const inquiryPage = renderText(
  await renderInquiryPage(
    {
      addresses: { site: 'https://office.example' },
      keyring: createKeyring(generateMasterKey()),
      contactWays: ['email', 'phone', 'signal', 'other'],
      terms: { version: 'version', text: '' },
      sealingKeys: Promise.resolve({
        desk: ['age1desk'],
        recovery: 'age1recovery',
        privateKeyFiles: [],
        set: 'set',
      }),
    },
    { sessionId: 's', order: { id: 'order', tier: 'Dossier', amount: 19_900 } as Order },
    {
      language: ENGLISH,
      words: 'one two three',
      fields: new Map(),
      faults: [inquiryFault],
      draftHalf: 'half',
    },
  ),
);
const pages = [casePage, contactPage, signInPage, inquiryPage];

test('every page with a script has the parts that all scripts look for', () => {
  for (const page of pages) {
    for (const id of Object.values(PART_IDS)) assert.ok(page.includes(` id="${id}"`), id);
    for (const where of Object.values(SEALED_WHERE)) assert.ok(page.includes(` data-when="${where}"`), where);
  }
});

test('a field with a fault looks as scripts make it and look for it', () => {
  for (const [page, field] of [
    [casePage, WORDS_FIELD],
    [contactPage, fault.field],
    [signInPage, WORDS_FIELD],
    [inquiryPage, inquiryFault.field],
  ] as const)
    assert.match(
      page,
      new RegExp(
        `<div class="${FIELD_CLASS} ${WRONG_CLASS}">[^\n]*<p class="${ERROR_CLASS}" id="${toErrorId(field)}">`,
      ),
    );
});

test('the case page has the forms, templates, slots and parts of its script, and no others', () => {
  assert.match(casePage, createFieldPattern(FIND_FORM_ID, WORDS_FIELD));
  for (const [form, field] of Object.entries(CASE_FORM_FIELDS))
    assert.match(casePage, createFieldPattern(form, field));
  assert.deepEqual(
    collectAttributeValues(casePage, '<template id'),
    new Set([...Object.values(CASE_TEMPLATES), PART_IDS.sentences]),
  );
  assert.deepEqual(collectAttributeValues(casePage, 'data-slot'), new Set(Object.values(CASE_SLOTS)));
  assert.deepEqual(collectAttributeValues(casePage, 'data-part'), new Set(Object.values(CASE_PARTS)));
});

test('the contact page has the form, fields and template of its script', () => {
  for (const field of CONTACT_FIELDS) assert.match(contactPage, createFieldPattern(CONTACT_FORM_ID, field));
  assert.ok(contactPage.includes(`<template id="${SENT_TEMPLATE}"`));
});

test('the sign-in page has the form and fields of its script', () => {
  for (const field of [FORM_TOKEN_FIELD, WORDS_FIELD])
    assert.match(signInPage, createFieldPattern(WORDS_FORM_ID, field));
});

test('the inquiry page has the form, fields, parts and template of its script', () => {
  const hidden = [...Object.values(INQUIRY_HIDDEN_FIELDS), WORDS_FIELD];
  for (const field of [...hidden, DANGER_FIELD, ...ASKED_WORD_CONTROLS])
    assert.match(inquiryPage, createFieldPattern(INQUIRY_FORM_ID, field));
  for (const id of [...Object.values(INQUIRY_PART_IDS), WORDS_FIELD, ...ASKED_WORD_CONTROLS])
    assert.ok(inquiryPage.includes(` id="${id}"`), id);
  assert.ok(inquiryPage.includes(`<template id="${SENT_TEMPLATE}"`));
  assert.deepEqual(
    collectAttributeValues(inquiryPage, 'data-slot'),
    new Set(Object.values(INQUIRY_SENT_SLOTS)),
  );
  assert.deepEqual(
    collectAttributeValues(inquiryPage, 'data-when'),
    new Set([...Object.values(SEALED_WHERE), IMMEDIATE_DANGER]),
  );
});

test('markup carries the data that scripts read, and no more', () => {
  const finding = renderFinding('| a |\n| - |\n| b |').toString();
  const written = [...pages, finding].join('').match(/ data-[a-z-]+/g) ?? [];
  assert.deepEqual(new Set(written), new Set(DATA_KEYS.map((key) => ` data-${key}`)));
});

function collectAttributeValues(page: string, attribute: string): Set<string> {
  const values = page.matchAll(new RegExp(`${attribute}="([^"]*)"`, 'g'));
  return new Set([...values].map(([, value = '']) => value));
}

function createFieldPattern(form: string, field: string): RegExp {
  return new RegExp(`<form[^>]* id="${form}"(?:(?!</form>)[\\s\\S])* name="${field}"`);
}
