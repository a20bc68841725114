/** Reads the project's documents and extracts their commands, inline code and links. */
import { globSync, readFileSync } from 'node:fs';

export interface ProjectDocument {
  readonly path: string;
  readonly text: string;
}

export interface DocumentedCommand {
  readonly document: string;
  /** One command of a line, without the variables set before it. */
  readonly words: readonly string[];
}

const FENCED_BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm;

export const documents: readonly ProjectDocument[] = globSync(['*.md', 'docs/**/*.md'])
  .toSorted()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

export function requireDocument(path: string): string {
  const document = documents.find((each) => each.path === path);
  if (!document) throw new Error(`there is no ${path}`);
  return document.text;
}

/** Text between single backticks, outside of code blocks. */
export function listInlineCode({ text }: ProjectDocument): string[] {
  return [...text.replace(FENCED_BLOCK, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** Targets of links and pictures that stay in the project. */
export function listRelativeLinks({ text }: ProjectDocument): string[] {
  const links = text.replace(FENCED_BLOCK, '').matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g);
  return [...links]
    .map(([, link, picture]) => link ?? picture ?? '')
    .filter((link) => !/^https?:/.test(link));
}

/** From blocks of shell, from lines behind a prompt, and from inline code that begins with a program. */
export function listDocumentedCommands(document: ProjectDocument): DocumentedCommand[] {
  const lines = [...document.text.matchAll(FENCED_BLOCK)].flatMap(([, language, block = '']) =>
    language === 'sh' ? listShellLines(block) : listPromptLines(block),
  );
  const inline = listInlineCode(document).filter((code) =>
    /^(?:npm|npx|node|office|bin\/office)\s/.test(code),
  );
  return [...lines, ...inline].flatMap((line) =>
    splitCommandLine(line).map((words) => ({ document: document.path, words })),
  );
}

/** A quoted argument may continue on the next lines. */
function listShellLines(block: string): string[] {
  return block
    .replaceAll('\\\n', ' ')
    .replace(/'[^']*'/g, (quoted) => quoted.replaceAll('\n', ' '))
    .split('\n')
    .map((line) => line.replace(/\s+#\s.*$/, '').trim())
    .filter((line) => line !== '');
}

function listPromptLines(block: string): string[] {
  return [...block.matchAll(/^\w*\$ (.+)$/gm)].map(([, line = '']) => line);
}

/** `a && b`, `export X=$(c)` and `X=1 d` hold the commands a, b, c and d. */
function splitCommandLine(line: string): string[][] {
  return line
    .replace(/\s>\s.*$/, '')
    .split(/&&|\$\(|\)/)
    .map((part) => part.match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
    .map((words) => words.slice(words.findIndex((word) => !/^(?:export$|\w+=)/.test(word))))
    .filter((words) => words.length > 0 && /^\w/.test(words[0] ?? '') && !/^\w+=/.test(words[0] ?? ''));
}
