/** Judges markup by the HTML standard and by what readers with a screen reader need. */
import assert from 'node:assert/strict';
import { HtmlValidate } from 'html-validate';

const validator = new HtmlValidate({ extends: ['html-validate:standard', 'html-validate:a11y'] });

export async function assertValidHtml(markup: string, name: string): Promise<void> {
  const { results } = await validator.validateString(markup);
  const complaints = results.flatMap(({ messages }) =>
    messages.map(({ line, column, ruleId, message }) => `${name}:${line}:${column} ${ruleId}: ${message}`),
  );
  assert.deepEqual(complaints, []);
}
