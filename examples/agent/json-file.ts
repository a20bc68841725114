/** Reads a file that should be a JSON object. */
import { readFileSync } from 'node:fs';
import { AgentFailure } from './failure.ts';

export function readJsonFile(path: string): object {
  const text = readFileSync(path, 'utf8');
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null) return content;
  } catch {
    // No cause: the parser's message quotes the text, which may be secret.
  }
  throw new AgentFailure(`${path} is not a JSON object.`);
}
