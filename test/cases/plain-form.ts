/** A buyer without scripts: pays, opens the form, fills it in and submits it as a browser would. */

import assert from 'node:assert/strict';
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import type { TestShop } from '#test/test-shop.ts';

export const plainFormFields = {
  question: 'Is this recruiter who she says she is? CANARY-QUESTION',
  subject: 'A recruiter CANARY-SUBJECT',
  identifiers: 'https://example.org/her\r\n+44 20 7946 0000',
  background: '',
  alias: 'Robin',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  contact_mode: 'return_only',
  contact_value: '',
  contact_safe_times: '',
  keep_days: String(DEFAULT_KEEP_DAYS),
  lawful_purpose: 'yes',
};

export interface PlainForm {
  readonly cookie: string;
  readonly token: string;
  readonly words: string;
  readonly paymentRef: string;
}

export interface FormFile {
  readonly name: string;
  readonly type?: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

export const sameOriginHeaders = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-site': 'same-origin',
};

/** Posts a form without files as a browser does. */
export async function postFormFields(
  { get }: Pick<TestShop, 'get'>,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<HttpsResponse> {
  const headers = { ...sameOriginHeaders, 'content-type': 'application/x-www-form-urlencoded' };
  return await get(path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
}

/** Posts JSON as the script of a page does. */
export async function postFromScript(
  { get }: Pick<TestShop, 'get'>,
  path: string,
  body: unknown,
): Promise<HttpsResponse> {
  const type = 'application/json';
  const headers = { ...sameOriginHeaders, accept: type, 'content-type': type };
  return await get(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

export async function openPaidForm(
  shop: Pick<TestShop, 'get' | 'createSession' | 'sandbox'>,
  tier = 'Trace',
): Promise<PlainForm> {
  const session = await shop.createSession(tier);
  await shop.sandbox.pay(session);
  return await openPlainForm(shop, session);
}

export async function openPlainForm({ get }: Pick<TestShop, 'get'>, session: string): Promise<PlainForm> {
  const landing = await get(`/inquiry?session_id=${session}`);
  const cookie = landing.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const page = await get('/inquiry', { headers: { ...sameOriginHeaders, cookie } });
  assert.equal(page.status, 200, page.text);
  return { cookie, ...parseHiddenFields(page) };
}

export function parseHiddenFields({ text }: HttpsResponse): Omit<PlainForm, 'cookie'> {
  const matchValue = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  return {
    token: matchValue(/name="token" value="([^"]+)"/),
    words: matchValue(/name="words" id="words" value="([^"]+)"/),
    paymentRef: matchValue(/data-payment-ref="([^"]+)"/),
  };
}

/** Encodes the fields in page order, as browsers do. */
export async function encodeFormBody(
  form: PlainForm,
  fields: Record<string, string>,
  files: readonly FormFile[] = [],
): Promise<{ body: Uint8Array; type: string }> {
  const data = new FormData();
  const { lawful_purpose: lawful, keep_days: days, ...before } = fields;
  const asked = pickAskedWords(form.words).map(({ control, word }) => [control, word] as const);
  data.set('token', form.token);
  data.set('terms_version', CURRENT_TERMS);
  data.set('words', form.words);
  for (const [name, value] of Object.entries(before)) data.set(name, value);
  // Where no file was chosen, browsers send an empty file without a name.
  if (files.length === 0) data.set('files', new File([], '', { type: 'application/octet-stream' }));
  for (const { name, type = 'application/octet-stream', content } of files)
    data.append('files', new File([content], name, { type }));
  for (const [name, value] of [...asked, ['keep_days', days], ['lawful_purpose', lawful]] as const)
    if (value !== undefined && !data.has(name)) data.set(name, value);
  const response = new Response(data);
  return {
    body: new Uint8Array(await response.arrayBuffer()),
    type: response.headers.get('content-type') ?? '',
  };
}

export async function sendPlainForm(
  { get }: Pick<TestShop, 'get'>,
  form: PlainForm,
  fields: Record<string, string> = plainFormFields,
  files: readonly FormFile[] = [],
): Promise<HttpsResponse> {
  const { body, type } = await encodeFormBody(form, fields, files);
  const headers = { ...sameOriginHeaders, cookie: form.cookie, 'content-type': type };
  return await get('/inquiry/sent', { method: 'POST', headers, body });
}

/** Opens a case with the form above. Returns its words. */
export async function openPlainCase(
  shop: Pick<TestShop, 'get' | 'createSession' | 'sandbox'>,
  tier = 'Trace',
  fields: Record<string, string> = plainFormFields,
  files: readonly FormFile[] = [],
): Promise<string> {
  const form = await openPaidForm(shop, tier);
  const { status, text } = await sendPlainForm(shop, form, fields, files);
  assert.equal(status, 200, text);
  return form.words;
}
