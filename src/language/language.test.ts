import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { translateToPseudo } from '#tools/languages/pseudo-language.ts';
import { ARGUMENTS_FILE, formatArguments } from '#tools/languages/sentence-arguments.ts';
import type { Catalogue, SentenceKey } from './catalogue.ts';
import { compileMessage } from './compile-message.ts';
import type { CompiledMessage, MessagePart } from './compiled-sentence.ts';
import { createLanguage } from './language.ts';
import { readCatalogue } from './language-file.ts';
import { ENGLISH, english, findServedLanguage, SERVED_LANGUAGES } from './languages.ts';

const keys = Object.keys(english) as SentenceKey[];

const spanish = readCatalogue('es') as Catalogue;
const pseudo = createLanguage('ar-XB', translateToPseudo('ar-XB'));

function listPieces(message: CompiledMessage): string[] {
  if (typeof message === 'string') return [];
  const variants = 'by' in message ? Object.values(message.variants) : [message];
  const selector = 'by' in message ? [`$${message.by}`] : [];
  return [
    ...new Set([...selector, ...variants.flatMap((parts) => parts.flatMap(listPartPieces))]),
  ].toSorted();
}

function listPartPieces(part: MessagePart): string[] {
  if (typeof part === 'string') return [];
  return 'value' in part ? [`$${part.value}`] : [`#${part.tag}`, ...part.parts.flatMap(listPartPieces)];
}

test('a file of languages that cannot be served is named, with what is wrong', async (t) => {
  const folder = pathToFileURL(`${await createTemporaryFolder(t)}/`);
  const files: readonly (readonly [tag: string, text: string, wrong: RegExp])[] = [
    ['pt_BR', '{}', /^languages\/pt_BR\.json is not named by a language tag/],
    ['fr', '{ "home": ', /^languages\/fr\.json is not a JSON object/],
    ['fr', '[]', /^languages\/fr\.json is not a JSON object/],
    ['fr', 'null', /^languages\/fr\.json is not a JSON object/],
    ['fr', '{"home":{"title":7}}', /^languages\/fr\.json: home\.title is not a sentence/],
    ['fr', '{"time":{"locale":"fr_CA"}}', /^languages\/fr\.json: time\.locale is not a locale/],
  ];
  for (const [tag, text, wrong] of files) {
    writeFileSync(new URL(`${tag}.json`, folder), text);
    assert.throws(() => readCatalogue(tag, folder), { name: 'LanguageFileError', message: wrong });
  }
  writeFileSync(new URL('fr.json', folder), '{"home":{"title":"Accueil"},"later":null}');
  assert.deepEqual(readCatalogue('fr', folder), { 'home.title': 'Accueil' });
});

test('Spanish has every sentence, and no other', () => {
  assert.deepEqual(Object.keys(spanish).toSorted(), keys.toSorted());
});

test('the types of what a sentence must be given are those of languages/en.json', () => {
  assert.equal(readFileSync(ARGUMENTS_FILE, 'utf8'), formatArguments(), 'npm run languages writes them');
});

test('every sentence of every language can be parsed and has the variables and elements of English', () => {
  assert.ok(keys.length > 50);
  for (const language of [...SERVED_LANGUAGES, pseudo])
    for (const key of keys)
      assert.deepEqual(
        listPieces(language.getMessage(key)),
        listPieces(ENGLISH.getMessage(key)),
        `${language.tag}: ${key}`,
      );
});

/** The sentences of a language, and the texts that operators can change. */
function listTexts(catalogue: Catalogue, files: string): readonly (readonly [string, string])[] {
  const contents = globSync(files, { exclude: ['content/README.md'] });
  assert.ok(contents.length > 5);
  return [
    ...Object.entries(catalogue),
    ...contents.map((file) => [file, readFileSync(file, 'utf8')] as const),
  ];
}

test('a sentence of English says what its key promises, in the two words for two ideas', () => {
  for (const [key, text] of listTexts(english, 'content/!(*.es).md')) {
    assert.doesNotMatch(text, /\b(?:seal(?:ed|s)?|encrypt\w*|eras(?:e[ds]?|ing)|purg\w+)\b/i, key);
    // This paragraph of the home page is for authors of programs.
    if (key !== 'home.agents.text')
      assert.doesNotMatch(text, /<|&\w+;|Retry-After|\bAPI\b/, `${key} is text, for people`);
  }
});

/** Words that the Spanish glossary replaces by others. */
const OTHER_TERMS =
  /identif[ií](?:qu|ca)|\b(?:canal|aparato|fuentes abiertas|usted mism[oa]|terminarl[oa]s?)\b|en vivo/i;

test('a sentence of Spanish says usted, in the terms of the glossary', () => {
  for (const [key, text] of listTexts(spanish, 'content/*.es.md')) {
    assert.doesNotMatch(text, /\b(?:cifra|sella|encripta|elimina|suprimi)\w*/i, key);
    assert.doesNotMatch(text, OTHER_TERMS, `${key}: docs/glossary.md`);
    assert.doesNotMatch(text, /(?<![\p{L}])(?:tú|tu|tus|te|ti|vosotros|vuestr[oa]s?)(?![\p{L}])/iu, key);
  }
});

test('the compiler knows every key and its arguments', () => {
  const { say } = ENGLISH;
  assert.equal(say('frame.skip'), 'Skip to main content');
  // @ts-expect-error unknown key
  assert.throws(() => say('frame.unheard-of'));
  // @ts-expect-error superfluous argument
  say('frame.skip', { more: 'x' });
  // @ts-expect-error a sentence with an element is not a text
  assert.throws(() => say('problem.quote', { id: 'x' }));
});

test('a number selects its variant by value, then by category, and is written as the language does', () => {
  const catalogue = {
    ...english,
    'frame.skip':
      '.input {$n :integer}\n.match $n\n0 {{none}}\none {{{$n} page}}\n* {{{$n} pages of {$name}}}',
  };
  const { say } = createLanguage('en', catalogue);
  const sayLoosely = say as unknown as (key: string, values: object) => string;
  assert.deepEqual(
    [0, 1, 2, 1_200].map((n) => sayLoosely('frame.skip', { n, name: 'Ann' })),
    ['none', '1 page', '2 pages of Ann', '1,200 pages of Ann'],
  );
});

test('Spanish counts with its plurals, and writes numbers as in Latin America', () => {
  const say = findServedLanguage('es')?.say ?? assert.fail();
  assert.deepEqual(
    [0, 1, 2].map((count) => say('form.count_left', { count })),
    ['Quedan 0 caracteres', 'Queda 1 carácter', 'Quedan 2 caracteres'],
  );
  assert.deepEqual(
    [1, 12_000].map((count) => say('form.count_over', { count })),
    ['Sobra 1 carácter', 'Sobran 12,000 caracteres'],
  );
});

test('the direction follows from the language, and isolates what is put into a sentence', () => {
  assert.equal(ENGLISH.direction, 'ltr');
  assert.equal(pseudo.direction, 'rtl');
  const { say } = createLanguage('he', { ...english, 'frame.skip': 'אל {$name}' });
  const sayLoosely = say as unknown as (key: string, values: object) => string;
  assert.equal(sayLoosely('frame.skip', { name: 'Ann' }), 'אל \u2068Ann\u2069');
});

test('what no page could show is refused', () => {
  for (const source of [
    '{#link}open',
    'closed{/link}',
    '{#a}{#b}crossed{/a}{/b}',
    '{#link to=|/x|}options{/link}',
    '{$when :datetime}',
    '{|literal|}',
    '.local $x = {$y :integer} {{{$x}}}',
    '.input {$a :integer} .input {$b :integer} .match $a $b one one {{x}} * * {{y}}',
    'broken {$',
  ])
    assert.throws(() => compileMessage(source), source);
});
