/** Writes the type of each sentence's arguments (`npm run languages`): strings of a JSON file have no literal types. */
import { writeFileSync } from 'node:fs';
import { parseMessage, visit } from 'messageformat';
import { english } from '#language/languages.ts';

export const ARGUMENTS_FILE = 'src/language/sentence-arguments.ts';

const HEADER = `/** What the sentences of languages/en.json must be given, if anything. Written by \`npm run languages\`. */
export interface SentenceArguments {
`;

export function formatArguments(): string {
  const lines = Object.entries(english).flatMap(([key, source]) => {
    const fields = [...listArguments(source)].map(([name, type]) => `${name}: ${type}`);
    return fields.length > 0 ? [`  '${key}': { ${fields.join('; ')} };\n`] : [];
  });
  return `${HEADER}${lines.join('')}}\n`;
}

function listArguments(source: string): Map<string, string> {
  const types = new Map<string, string>();
  visit(parseMessage(source), {
    expression: ({ arg, functionRef }) => {
      if (arg?.type !== 'variable') return;
      const isNumber = functionRef?.name === 'integer' || types.get(arg.name) === 'number';
      types.set(arg.name, isNumber ? 'number' : 'string');
    },
    markup: ({ name }) => {
      types.set(name, "'element'");
    },
  });
  return types;
}

if (import.meta.main) writeFileSync(ARGUMENTS_FILE, formatArguments());
