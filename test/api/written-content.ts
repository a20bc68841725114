/** Searches everything that a service has written, in every encoding that a careless line of code would use. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApp } from '#test/test-app.ts';

type WritingService = Pick<TestApp, 'dataDir' | 'readLog'>;

/** Reads everything that the service has written, by default without the sandbox's own files. */
async function readWrittenContent(
  testbed: WritingService,
  isCounted = (path: string) => !path.startsWith('sandbox'),
): Promise<readonly (readonly [name: string, content: Buffer])[]> {
  const contents: [string, Buffer][] = [['log', Buffer.from(testbed.readLog())]];
  for await (const path of glob('**/*', { cwd: testbed.dataDir })) {
    if (!isCounted(path)) continue;
    const content = await readFile(join(testbed.dataDir, path)).catch(() => null);
    if (content) contents.push([path, content]);
  }
  return contents;
}

export async function listPlacesContaining(
  testbed: WritingService,
  secret: string,
  isCounted?: (path: string) => boolean,
): Promise<string[]> {
  const codings = [secret, Buffer.from(secret).toString('base64url').slice(0, -2)];
  return (await readWrittenContent(testbed, isCounted))
    .filter(([, content]) => codings.some((each) => content.includes(each)))
    .map(([name]) => name);
}

export function listWordPairs(words: string): string[] {
  return words.split(' ').flatMap((word, index, all) => (index > 0 ? [`${all[index - 1]} ${word}`] : []));
}
