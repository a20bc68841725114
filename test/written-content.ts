/** Searches everything that a service has written, in every encoding that a careless line of code would use. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApp } from '#test/test-app.ts';

type WritingService = Pick<TestApp, 'dataDir' | 'readLog'>;

/** Reads everything that the service has written, by default without the sandbox's own files. */
async function readWrittenContent(
  { dataDir, readLog }: WritingService,
  isCounted = (path: string) => !path.startsWith('sandbox'),
): Promise<readonly (readonly [name: string, content: Buffer])[]> {
  const contents: [string, Buffer][] = [['log', Buffer.from(readLog())]];
  // Reads the write-ahead log first: content that a checkpoint moves meanwhile is then found in the database.
  const paths = (await Array.fromAsync(glob('**/*', { cwd: dataDir }))).filter(isCounted);
  for (const path of paths.toSorted().toReversed()) {
    const content = await readFile(join(dataDir, path)).catch(() => null);
    if (content) contents.push([path, content]);
  }
  return contents;
}

export async function listPlacesContaining(
  service: WritingService,
  secret: string,
  isCounted?: (path: string) => boolean,
): Promise<string[]> {
  // The end of an encoded text depends on what follows it.
  const encoded = (['base64url', 'hex'] as const).map((to) => Buffer.from(secret).toString(to).slice(0, -2));
  const forms = [secret, ...encoded, Buffer.from(secret, 'utf16le')];
  return (await readWrittenContent(service, isCounted))
    .filter(([, content]) => forms.some((each) => content.includes(each)))
    .map(([name]) => name);
}

export function listWordPairs(words: string): string[] {
  return words.split(' ').flatMap((word, index, all) => (index > 0 ? [`${all[index - 1]} ${word}`] : []));
}
