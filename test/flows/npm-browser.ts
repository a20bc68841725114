/** The Chromium of the package @sparticuz/chromium, unpacked once into a folder of our own. */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

const PACKAGE = resolve('node_modules/@sparticuz/chromium');
const CACHE = resolve('node_modules/.cache/test-browser');

/**
 * Returns its path on the only supported platform. The package's own unpacking is not used: it shares a folder with all
 * programs of the machine, runs any file that is there, and exposes incomplete files.
 */
export async function extractNpmBrowser(): Promise<string | null> {
  const packed = join(PACKAGE, 'bin', 'chromium.br');
  if (platform() !== 'linux' || arch() !== 'x64' || !existsSync(packed)) return null;
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(CACHE, version);
  const program = join(folder, 'chromium');
  if (!existsSync(program)) await extractProgram(packed, folder, program);
  return program;
}

/** Safe for several processes at the same time: each sees a complete file or none. */
async function extractProgram(packed: string, folder: string, program: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = `${program}.${process.pid}.draft`;
  try {
    await pipeline(
      createReadStream(packed),
      createBrotliDecompress(),
      createWriteStream(draft, { mode: 0o755 }),
    );
    await rename(draft, program);
  } finally {
    await rm(draft, { force: true });
  }
}
