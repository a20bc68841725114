/** The package of `src/seal` as others get it: packed, installed in an empty folder, and run by the host's Node. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { delimiter, join, relative } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { LINKS, PROJECT } from '../../bin/packaged-node.js';

const run = promisify(execFile);
const folder = await createDataFolder(withReverseCleanup({ after }));

interface PackageFacts {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readPackage(path: string): PackageFacts {
  return JSON.parse(readFileSync(join(PROJECT, path, 'package.json'), 'utf8')) as PackageFacts;
}

/** Lists the packages that a package needs, and those that they need. */
function listNeededPackages(path: string): string[] {
  const names = Object.keys(readPackage(path).dependencies ?? {});
  return [...names, ...names.flatMap((name) => listNeededPackages(join('node_modules', name)))];
}

/** The Nodes that a person would start: only npm's scripts put the Node of the packages first in the path. */
function listHostNodes(): string[] {
  const nodes = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, 'node'))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path));
  const isPackaged = (path: string) => path.startsWith(join(realpathSync(PROJECT), 'node_modules'));
  return [...new Set(nodes)].filter((path) => !isPackaged(path));
}

/** Installs without the registry: the packages that it needs are those of the project. */
async function installPackage(): Promise<void> {
  const { stdout } = await run(process.execPath, ['tools/pack-seal.ts', folder], { cwd: PROJECT });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const needed = [...new Set(listNeededPackages('packages/seal'))];
  const packages = needed.map((name) => join(PROJECT, 'node_modules', name));
  const options = ['--offline', '--install-links', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...options, stdout.trim(), ...packages], { cwd: folder });
}

const PROGRAM = `
import { readFileSync } from 'node:fs';
import { deriveRecipient, generateAgeIdentity } from 'inquiry-office-seal/age';
import { generateCaseKey, openCaseKey, sealCaseKey } from 'inquiry-office-seal/case-key';
import { openEnvelope, sealEnvelope } from 'inquiry-office-seal/envelope';
import { openSealedFile } from 'inquiry-office-seal/sealed-file';
import { deriveWordKeys, generateWords } from 'inquiry-office-seal/words';

const desk = await generateAgeIdentity();
const holder = await deriveRecipient(desk);
const words = await deriveWordKeys(generateWords());
const key = await generateCaseKey(words);
const sealedKey = await sealCaseKey(key, { desk: [holder], recovery: holder });
const sealed = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, { question: 'Who is she?' });
const opened = await openCaseKey(sealedKey, desk, words.lookupHash);
console.log(JSON.stringify(await openEnvelope(opened, { kind: 'inquiry.v1', seq: 0 }, sealed)));

const toBytes = (text) => new Uint8Array(Buffer.from(text, 'base64url'));
const vectors = JSON.parse(readFileSync('vectors.json', 'utf8'));
const { identity, lookupHash } = await deriveWordKeys(vectors.words.words);
const known = await openCaseKey(toBytes(vectors.case_key.sealed), identity, lookupHash);
for (const { kind, seq, sealed: bytes } of vectors.envelopes) await openEnvelope(known, { kind, seq }, toBytes(bytes));
const [{ kind, seq, sealed: bytes }] = vectors.files;
const file = await openSealedFile(known, { kind, seq }, new Blob([toBytes(bytes)]).stream());
console.log(file.name, await new Response(file.content).text());
`;

test('the archive installs in an empty folder, and seals and opens under each Node of the host', async (t) => {
  await installPackage();
  await writeFile(join(folder, 'program.js'), PROGRAM);
  await copyFile(join(PROJECT, 'src/agents/documents/sealing-vectors.json'), join(folder, 'vectors.json'));
  for (const node of new Set([...listHostNodes(), process.execPath])) {
    const { stdout: version } = await run(node, ['--version']);
    t.diagnostic(version.trim());
    assert.ok(Number.parseInt(version.slice(1), 10) >= 20, version);
    const { stdout } = await run(node, ['program.js'], { cwd: folder });
    assert.match(stdout, /^\{"question":"Who is she\?"\}\nletter\.txt Dear Robin/);
  }
});

test('its declarations tell a compiler what each function takes', async () => {
  await writeFile(
    join(folder, 'typed.ts'),
    `import { deriveWordKeys, generateWords } from 'inquiry-office-seal/words';
export const words: string = generateWords();
// @ts-expect-error Words are text.
export const keys = deriveWordKeys(12);
`,
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', 'typed.ts'];
  await run(join(LINKS, 'tsc'), ['--ignoreConfig', ...options], { cwd: folder });
});

test('it has the version of the project, and its packages in the same versions', () => {
  const project = readPackage('.');
  const { version, dependencies = {} } = readPackage(
    relative(PROJECT, join(folder, 'node_modules/inquiry-office-seal')),
  );
  assert.equal(version, project.version);
  for (const [name, needed] of Object.entries(dependencies))
    assert.equal(project.dependencies?.[name], needed);
});
