/** Tests the shipped file of helplines, and the mistakes that are reported in a line. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseHelplines, readHelplines } from './helplines.ts';

test('each helpline that comes with the program names where its number is published', async () => {
  const helplines = await readHelplines('content/helplines.txt');
  assert.ok(helplines.length > 20);
  for (const { source } of helplines) assert.match(source, /^https:\/\/[a-z0-9.-]+\.[a-z]{2,}\//);
  const countries = helplines.map(({ country }) => country);
  assert.deepEqual(countries, countries.toSorted());
});

for (const line of [
  'Nowhere',
  'XX | Police | 112',
  'XX | Police | call us | https://example.org/',
  'XX | Police | 112 | example.org',
  'XX | Police | 112 | javascript:alert(1)',
  ' | Police | 112 | https://example.org/',
  'Nowhere | Police | 112 | https://example.org/',
  'XX | Police | 112 | https://example.org/ | more',
])
  test(`a line that cannot be used is named: ${line}`, () => {
    assert.throws(
      () => parseHelplines(`# a comment\n\n${line}\n`, 'helplines.txt'),
      /^ProgramError: helplines\.txt: line 3 /,
    );
  });

test('whom a number reaches may be named for a language with a region', () => {
  const line = 'XX | Police | 112 | https://example.org/ | pt-BR: Polícia';
  const [helpline] = parseHelplines(line, 'helplines.txt');
  assert.deepEqual([...(helpline?.translations ?? [])], [['pt-BR', 'Polícia']]);
});

test('a file without any number is refused', () => {
  assert.throws(() => parseHelplines('# nothing\n', 'helplines.txt'), /no number is in it/);
});
