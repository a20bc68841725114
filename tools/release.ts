/**
 * Makes a release, or packs one.
 *
 *   npm run release -- 1.0.1        sets version and date everywhere, commits and tags
 *   npm run release -- pack FOLDER  packs what is committed, with its checksum
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isNewerVersion } from '#platform/config/version.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

const VERSION_FORM = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED = '## Unreleased\n';

interface Manifest {
  version: string;
  released: string;
}

/** Commits and tags in the project's folder, whose tree must be clean; returns the tag. */
export function makeRelease(project: string, version: string, day: string): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
  const read = (name: string) => readFileSync(join(project, name), 'utf8');
  const write = (name: string, text: string) => writeFileSync(join(project, name), text);
  const changes = read('CHANGELOG.md');
  const manifest = JSON.parse(read('package.json')) as Manifest;
  const tag = `v${version}`;
  refuseUnless(VERSION_FORM.test(version), 'The version has three numbers, such as 1.0.1');
  refuseUnless(git('status', '--porcelain') === '', 'The tree is not clean; commit or remove what it has');
  refuseUnless(git('tag', '--list', tag) === '', `The tag ${tag} exists`);
  const released = /^## (\d\S+) \(/m.exec(changes)?.[1] ?? '0.0.0';
  refuseUnless(
    isNewerVersion(version, released) && !isNewerVersion(manifest.version, version),
    `The version is not higher: the newest release is ${released}, package.json has ${manifest.version}`,
  );
  refuseUnless(changes.includes(UNRELEASED), 'CHANGELOG.md has nothing under "Unreleased"');

  write('CHANGELOG.md', changes.replace(UNRELEASED, `## ${version} (${day})\n`));
  write('package.json', formatJson({ ...manifest, version, released: day }));
  const lock = JSON.parse(read('package-lock.json')) as Manifest & { packages: { '': Manifest } };
  lock.version = version;
  lock.packages[''].version = version;
  write('package-lock.json', formatJson(lock));
  const container = read('deploy/Containerfile');
  write('deploy/Containerfile', container.replace(/(image\.version)="[^"]*"/, `$1="${version}"`));
  git('commit', '--all', '--message', `Release ${version}`);
  git('tag', '--annotate', tag, '--message', `Release ${version}`);
  return tag;
}

/** Packs only committed files; returns the path of the archive. */
export function packRelease(project: string, destination: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: project, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    // npm does not pack the lock file, except under this name, which npm ci also reads.
    cpSync(join(folder, 'package-lock.json'), join(folder, 'npm-shrinkwrap.json'));
    const filename = packFolder(folder, destination);
    const path = join(destination, filename);
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    writeFileSync(`${path}.sha256`, `${hash}  ${filename}\n`);
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the name of the archive. */
export function packFolder(folder: string, destination: string): string {
  const options = ['--json', '--ignore-scripts', '--pack-destination', destination];
  const packed = execFileSync('npm', ['pack', folder, ...options], { encoding: 'utf8' });
  const [archive] = JSON.parse(packed) as { readonly filename: string }[];
  if (!archive) throw new Error('npm packed nothing');
  return archive.filename;
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function refuseUnless(condition: boolean, text: string): void {
  if (!condition) throw new ProgramError(text, EXIT_CODES.failure);
}

function run([what = '', folder = '.']: readonly string[]): string {
  const project = resolve(import.meta.dirname, '..');
  if (what === 'pack') return packRelease(project, resolve(folder));
  const tag = makeRelease(project, what, new Date().toISOString().slice(0, 10));
  return `Tagged ${tag}. Next: npm run release -- pack FOLDER (CONTRIBUTING.md, "A release")`;
}

if (import.meta.main) {
  try {
    console.log(run(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}
