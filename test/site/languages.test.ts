/** Pages in more than one language: which one is served, how it is chosen, and what is remembered. */
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDataFolder } from '#test/data-folder.ts';
import { buildTestApp } from '#test/test-app.ts';

const shop = await buildTestApp({ after });
const visit = async (path: string, headers: Record<string, string> = {}) =>
  await shop.get(path, { headers: { accept: 'text/html', ...headers } });
const PAGE_PATHS =
  `/ /privacy /safety /case /contact /terms /permissions /payment-cancelled /payment-received /docs`.split(
    /\s+/,
  );
const inSpanish = { 'accept-language': 'es-CO,es;q=0.9,en;q=0.5' };

test('every page speaks the language that the browser prefers, and says so', async () => {
  for (const path of PAGE_PATHS) {
    const english = await visit(path);
    const spanish = await visit(path, inSpanish);
    const isTranslated = path !== '/docs';
    assert.match(english.text, /<html lang="en" dir="ltr">/, path);
    assert.equal(english.headers['content-language'], 'en', path);
    assert.equal(spanish.headers['content-language'], isTranslated ? 'es' : 'en', path);
    assert.match(String(spanish.headers['vary']), /accept-language, cookie/, path);
    if (!isTranslated) continue;
    assert.match(spanish.text, /<html lang="es" dir="ltr">/, path);
    assert.match(spanish.text, /Salir de esta página/, path);
    assert.doesNotMatch(spanish.text, /Leave this page|How leaving works|Before you buy/, path);
    assert.notEqual(spanish.text, english.text, path);
  }
});

test('a price in Spanish is in US$, because $ alone is the sign of many pesos', async () => {
  const { text } = await visit('/', inSpanish);
  assert.match(text, /desde US\$99</);
  assert.equal(text.match(/<p class="price">US\$\d+</g)?.length, 3);
  assert.doesNotMatch(text, /(?<!US)\$\d/);
});

test('the name of a service, which is English, has its meaning beside it in Spanish', async () => {
  const { text } = await visit('/', inSpanish);
  for (const name of ['Trace', 'Dossier', 'Deep Sweep'])
    assert.match(text, new RegExp(`<h3>${name} <span class="gloss">\\([^)]{5,}\\)</span></h3>`));
});

test('a page is compressed for each language, and never mixed up', async () => {
  const read = async (headers: Record<string, string>) =>
    (await visit('/', { ...headers, 'accept-encoding': 'gzip' })).bytes;
  const [english, spanish] = [await read({}), await read(inSpanish)];
  assert.notDeepEqual(english, spanish);
  assert.deepEqual(await read({}), english);
  assert.deepEqual(await read(inSpanish), spanish);
});

test('a link chooses the language and leaves the address clean; the cookie holds nothing else', async () => {
  const home = await visit('/');
  assert.match(home.text, /<a href="\?language=es#languages" lang="es"/);
  const chosen = await visit('/privacy?a=1&language=es&b=2', { 'sec-fetch-site': 'same-origin' });
  assert.equal(chosen.status, 303);
  assert.equal(chosen.headers['location'], '/privacy?a=1&b=2');
  assert.equal(
    String(chosen.headers['set-cookie']),
    '__Host-language=es; Path=/; Secure; HttpOnly; SameSite=Lax',
  );
  const cookie = '__Host-language=es';
  assert.match((await visit('/privacy', { cookie })).text, /<html lang="es"/);
  // A visitor who chooses the language that the browser requests anyway needs no cookie.
  const back = await visit('/?language=en', { cookie });
  assert.match(String(back.headers['set-cookie']), /^__Host-language=; .*Max-Age=0$/);
  const kept = await visit('/?language=en', { ...inSpanish, cookie });
  assert.match(String(kept.headers['set-cookie']), /^__Host-language=en; /);
});

test('a link of another site, of an e-mail or of the address bar chooses nothing', async () => {
  for (const from of ['cross-site', 'same-site', 'none']) {
    const answer = await visit('/case?language=es', { 'sec-fetch-site': from });
    assert.deepEqual([answer.status, answer.headers['set-cookie']], [200, undefined], from);
    assert.match(answer.text, /<html lang="en"/, from);
  }
});

test('the choice leads to no other site, and an unknown language is not chosen', async () => {
  for (const path of ['//evil.example/?language=es', '/\\evil.example?language=es', '///?language=es']) {
    const { headers, status } = await visit(path);
    assert.deepEqual([status, headers['location'], headers['set-cookie']], [404, undefined, undefined], path);
  }
  assert.doesNotMatch((await visit('/no-such-page')).text, /\?language=/, 'where it cannot be made');
  for (const path of ['/?language=xx', '/?language=', '/?language=es%01', '/?Language=es']) {
    const { status, headers } = await visit(path);
    assert.equal(status, 200, path);
    assert.equal(headers['set-cookie'], undefined, path);
  }
  assert.equal((await shop.get('/robots.txt?language=es')).status, 200);
});

test('errors and forms are answered in the language of the page', async () => {
  assert.match((await visit('/no-such-page', inSpanish)).text, /No existe esa página/);
  const { text } = await shop.get('/case', {
    method: 'POST',
    body: 'words=abandon',
    headers: {
      ...inSpanish,
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    },
  });
  assert.match(text, /<html lang="es"/);
  assert.match(text, /Escribió 1 palabra; son doce/);
  // The answer to a form cannot be requested again in another language.
  assert.doesNotMatch(text, /id="languages"/);
});

test('the operator’s texts are in Spanish where there is a translation, otherwise marked as English', async (t) => {
  for (const path of ['/refunds', '/about', '/questions', '/what-you-get', '/sample', '/privacy'])
    assert.doesNotMatch((await visit(path, inSpanish)).text, /class="wrap text" lang|en inglés/, path);
  const home = (await visit('/', inSpanish)).text;
  assert.match(home, /<ul class="list"><li>Buscamos qué está relacionado con él<\/li>/);
  const folder = await createDataFolder(t);
  await cp(fileURLToPath(new URL('../../content/', import.meta.url)), folder, { recursive: true });
  await rm(join(folder, 'about.es.md'));
  await rm(join(folder, 'what-you-get.es.md'));
  const { get } = await buildTestApp(t, { env: { CONTENT_DIR: folder } });
  const about = await get('/about', { headers: inSpanish });
  assert.match(
    about.text,
    /<div class="wrap text" lang="en" dir="ltr">\s*<h1>Who we are<\/h1>\s*<div lang="es" dir="ltr"><p[^>]*>Este texto está en inglés/,
  );
  assert.match((await get('/', { headers: inSpanish })).text, /<ul class="list" lang="en"><li>We look for/);
});

test('the safety page begins with the helplines of the country that the browser names, in the reader’s language', async () => {
  const listCountries = (text: string) =>
    [...text.matchAll(/<th scope="row">([^<]+)<\/th>/g)].map(([, country]) => country);
  const mexico = await visit('/safety', { 'accept-language': 'es-MX,es;q=0.9' });
  assert.ok(mexico.text.indexOf('id="helplines"') < mexico.text.indexOf('id="leaving"'));
  assert.deepEqual(listCountries(mexico.text).slice(0, 3), ['México', 'México', 'Alemania']);
  assert.match(mexico.text, /México<\/th><td data-label="Quién atiende">Emergencias<\/td>.*tel:911/);
  assert.match(mexico.text, /<details class="help"><summary>Otros países<\/summary><table>/);
  const [first] = listCountries((await visit('/safety', { 'accept-language': 'en-US' })).text);
  assert.equal(first, 'United States');
  for (const unknown of ['en', 'en-ZZ', 'es-419'])
    assert.doesNotMatch(
      (await visit('/safety', { 'accept-language': unknown })).text,
      /<details class="help">/,
    );
  const countries = listCountries((await visit('/safety', inSpanish)).text);
  for (const country of ['Argentina', 'Chile', 'Colombia', 'España', 'México', 'Perú'])
    assert.ok(countries.includes(country), country);
});

test('the Spanish terms are a courtesy: their page leads to the English text, which has the version', async () => {
  const { text } = await visit('/terms', inSpanish);
  assert.match(text, /<h1>Condiciones<\/h1>/);
  const [, path = ''] = /traducción de cortesía[\s\S]*?href="(\/terms\/[^"]+)"/.exec(text) ?? [];
  const english = await visit(path, inSpanish);
  assert.match(english.text, /<div class="wrap text" lang="en"/);
  assert.match(english.text, /<h1>Terms<\/h1>/);
});
