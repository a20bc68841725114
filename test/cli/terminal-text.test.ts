/** Foreign text on an investigator's terminal: nothing in it acts, and nothing in it hides. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { terminalSafe } from '#cli/terminal/table.ts';

const HIDDEN = {
  'a tag character': '\u{e0041}',
  'a selector of the supplement': '\u{e0101}',
  'a soft hyphen': '\u00ad',
  'a filler': '\u3164',
  'a direction mark': '\u202e',
  'a joiner': '\u200d',
  'an escape': '\u001b',
} as const;

for (const [name, character] of Object.entries(HIDDEN))
  test(`${name} is shown in text, and escaped in JSON without changing the value`, () => {
    assert.equal(terminalSafe.text(`pay${character}pal`), 'pay\ufffdpal');
    const value = { said: `pay${character}pal` };
    const json = terminalSafe.json(JSON.stringify(value));
    assert.match(json, /^[\x20-\x7e]+$/);
    assert.deepEqual(JSON.parse(json), value);
  });

test('ordinary text in any script stays as it is, emoji among it', () => {
  const text = 'Grüße, 你好, שלום, नमस्ते\n\t☎\ufe0f ❤\ufe0f';
  assert.equal(terminalSafe.text(text), text);
});
