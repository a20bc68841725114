/** Reads the import rule from docs/architecture.md: the folders of `src` from the top down. */
import { readFileSync } from 'node:fs';

/** Folders on the same level must not import each other. */
export function readImportRule(): readonly (readonly string[])[] {
  const line = /^`(main · [^`]+)`$/m.exec(readFileSync('docs/architecture.md', 'utf8'))?.[1];
  if (!line) throw new Error('docs/architecture.md states no import rule');
  return line.split(' · ').map((step) => step.split('/'));
}
