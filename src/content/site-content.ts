/** The texts that belong to the operator: read and checked once, when the service starts. */
import { fileURLToPath } from 'node:url';
import { readContentFile } from './content-file.ts';
import { type Helpline, parseHelplines } from './helplines.ts';

/** The texts that come with the program. */
const DEFAULT_FOLDER = fileURLToPath(new URL('../../content/', import.meta.url));

export interface SiteContent {
  readonly helplines: readonly Helpline[];
}

export async function loadSiteContent(): Promise<SiteContent> {
  const path = `${DEFAULT_FOLDER}helplines.txt`;
  return { helplines: parseHelplines(await readContentFile(path), path) };
}
