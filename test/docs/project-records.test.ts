/** Versions and releases are in order, and what must not leave the machine stays out of them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { RELEASED_ON, VERSION } from '#platform/config/version.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { makeRelease, packRelease } from '#tools/release.ts';

interface Lock {
  readonly version: string;
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly resolved?: string }>>;
}

test('every place that tells the version has that of package.json, and the changelog its day', () => {
  const { version, packages } = JSON.parse(readProject('package-lock.json')) as Lock;
  assert.deepEqual([version, packages['']?.version], [VERSION, VERSION]);
  assert.match(readProject('deploy/Containerfile'), new RegExp(`image\\.version="${VERSION}"$`, 'm'));
  const [first = '', ...earlier] = listReleases(readProject('CHANGELOG.md'));
  // Until its release, the changes of a version are listed under Unreleased.
  const isReleased = [first, ...earlier].includes(`${VERSION} (${RELEASED_ON})`);
  assert.ok(isReleased || first === 'Unreleased');
  assert.ok(earlier.every((title) => /^\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)$/.test(title)));
});

test('a lock file names no registry', () => {
  const { packages } = JSON.parse(readProject('package-lock.json')) as Lock;
  assert.deepEqual(
    Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined),
    [],
  );
});

test('a release sets version, day, heading, label and tag, and is packed twice to the same bytes', async (t) => {
  const folder = await createTemporaryFolder(t);
  const project = join(folder, 'project');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
  for (const name of [
    'package.json',
    'package-lock.json',
    'deploy/Containerfile',
    'src/main.ts',
    'README.md',
  ])
    cpSync(name, join(project, name));
  writeFileSync(
    join(project, 'CHANGELOG.md'),
    '# Changes\n\n## Unreleased\n\n- More.\n\n## 1.9.0 (2026-01-02)\n',
  );
  git('init', '--quiet');
  git('config', 'user.name', 'test');
  git('config', 'user.email', 'test@localhost');
  git('add', '.');
  git('commit', '--quiet', '--message', 'First');
  const release = (version: string) => makeRelease(project, version, '2027-03-04');
  assert.throws(() => release('2.0'), /three numbers/);
  assert.throws(() => release('1.9.0'), /not higher: the newest release is 1\.9\.0/);
  writeFileSync(join(project, 'src/secret.key'), 'not committed');
  assert.throws(() => release('1.10.0'), /not clean/);
  rmSync(join(project, 'src/secret.key'));

  assert.equal(release('1.10.0'), 'v1.10.0');
  assert.equal(git('describe'), 'v1.10.0');
  const read = (name: string) => readFileSync(join(project, name), 'utf8');
  const { version, released } = JSON.parse(read('package.json')) as Record<string, string>;
  assert.deepEqual([version, released], ['1.10.0', '2027-03-04']);
  const lock = JSON.parse(readProject('package-lock.json')) as Lock;
  const packages = { ...lock.packages, '': { ...lock.packages[''], version } };
  assert.deepEqual(JSON.parse(read('package-lock.json')), { ...lock, version, packages });
  assert.match(read('deploy/Containerfile'), /image\.version="1\.10\.0"$/m);
  assert.deepEqual(listReleases(read('CHANGELOG.md')), ['1.10.0 (2027-03-04)', '1.9.0 (2026-01-02)']);
  assert.throws(() => release('1.10.0'), /tag v1\.10\.0 exists/);
  assert.throws(() => release('1.10.1'), /nothing under "Unreleased"/);

  writeFileSync(join(project, 'src/secret.key'), 'not committed');
  const packed = ['first', 'second'].map((name) => {
    mkdirSync(join(folder, name));
    return packRelease(project, join(folder, name));
  });
  assert.ok(readFileSync(packed[0]!).equals(readFileSync(packed[1]!)));
  const [hash, named] = readFileSync(`${packed[0]}.sha256`, 'utf8').trim().split('  ');
  assert.equal(hash, createHash('sha256').update(readFileSync(packed[0]!)).digest('hex'));
  assert.equal(named, basename(packed[0]!));
  const names = execFileSync('tar', ['-tzf', packed[0]!], { encoding: 'utf8' }).split('\n');
  assert.ok(names.includes('package/npm-shrinkwrap.json') && names.includes('package/src/main.ts'));
  assert.ok(!names.some((name) => name.includes('secret')));
});

function readProject(name: string): string {
  return readFileSync(name, 'utf8');
}

function listReleases(changes: string): string[] {
  return [...changes.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
}

test('what the containers keep in deploy/ goes into no image, no package and no commit', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  const [image, commit] = ['.dockerignore', '.gitignore'].map((file) =>
    readFileSync(file, 'utf8').split('\n'),
  );
  for (const name of ['office.env', 'secrets', 'backup']) {
    const path = `deploy/${name}`;
    assert.match(readFileSync('deploy/compose.yaml', 'utf8'), new RegExp(`[ /]${name}\\b`));
    assert.ok(image?.includes(path), `.dockerignore: ${path}`);
    assert.ok(
      commit?.some((line) => line === `/${path}` || line === `/${path}/`),
      `.gitignore: ${path}`,
    );
    assert.ok(files.includes(`!${path}`), `package.json: ${path}`);
  }
});
