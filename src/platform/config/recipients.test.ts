import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import {
  listConfigMistakes,
  listMistakenNames,
  production,
  RECIPIENT,
  RECOVERY,
} from '#test/config-mistakes.ts';
import { readConfig } from './config.ts';

test('the file of recipients gives every investigator a name and a role', async (t) => {
  const file = join(await createTemporaryFolder(t), 'recipients');
  await writeFile(
    file,
    `\uFEFF# The team\r\n\r\nAda owner ${RECIPIENT}\r\n  Zoë-2\tinvestigator   ${RECOVERY}  \n`,
  );
  assert.deepEqual(readConfig({ DESK_RECIPIENTS_FILE: file }).seal, {
    people: [
      { name: 'Ada', role: 'owner', recipient: RECIPIENT },
      { name: 'Zoë-2', role: 'investigator', recipient: RECOVERY },
    ],
    desk: [RECIPIENT, RECOVERY],
    recovery: null,
    file,
  });
  const listed = readConfig({ DESK_RECIPIENTS: RECIPIENT }).seal;
  assert.deepEqual([listed.people, listed.file], [[], null]);
  assert.deepEqual(listMistakenNames({ DESK_RECIPIENTS_FILE: file, DESK_RECIPIENTS: RECIPIENT }), [
    'DESK_RECIPIENTS_FILE',
  ]);
});

test('every mistake in the file of recipients is reported with its line and without what it says', async (t) => {
  const file = join(await createTemporaryFolder(t), 'recipients');
  const lines: [line: string, mistake: RegExp | null][] = [
    [`Ada owner ${RECIPIENT}`, null],
    ['# comment', null],
    ['Bob owner', /expected NAME ROLE RECIPIENT/],
    [`Bob owner ${RECOVERY} secret-value`, /expected NAME ROLE RECIPIENT/],
    [`../Bob owner ${RECOVERY}`, /expected a name/],
    [`Recovery owner ${RECOVERY}`, /expected a name/],
    [`${'B'.repeat(41)} owner ${RECOVERY}`, /expected a name/],
    [`Bob Owner ${RECOVERY}`, /expected the role owner or investigator/],
    ['Bob owner AGE-SECRET-KEY-PQ-1SECRET-VALUE', /expected a post-quantum age recipient/],
    [`ADA investigator ${RECOVERY}`, /expected each name once/],
    [`Bob investigator ${RECIPIENT}`, /expected each recipient once/],
  ];
  await writeFile(file, lines.map(([line]) => line).join('\n'));
  const mistakes = listConfigMistakes({ ...production, DESK_RECIPIENTS: '', DESK_RECIPIENTS_FILE: file });
  const wrong = lines.flatMap(([, mistake], index) => (mistake ? [{ mistake, line: index + 1 }] : []));
  assert.equal(mistakes.length, wrong.length);
  for (const [index, { mistake, line }] of wrong.entries()) {
    assert.match(mistakes[index] ?? '', mistake);
    assert.match(mistakes[index] ?? '', new RegExp(`^DESK_RECIPIENTS_FILE: .*\\(line ${line}\\)$`));
  }
  assert.doesNotMatch(mistakes.join(), /secret-value/i);
  for (const content of ['', '# no one\n']) {
    await writeFile(file, content);
    assert.match(listConfigMistakes({ DESK_RECIPIENTS_FILE: file }).join(), /at least one line/);
  }
  assert.match(listConfigMistakes({ DESK_RECIPIENTS_FILE: `${file}.lost` }).join(), /readable file.*ENOENT/);
});
