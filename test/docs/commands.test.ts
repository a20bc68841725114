/** Every command in the documents works: its script, options and files exist, and no installed Node is needed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { type DocumentedCommand, documents, listDocumentedCommands, listInlineCode } from './documents.ts';

const run = promisify(execFile);
const scripts = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> })
  .scripts;
const PROJECT_FILE = /^(?:src|browser|bin|cli|sandbox|tools|agent|deploy|test|docs)\//;
/** Commands of these groups are also named without the program. */
const NAMED_GROUPS = ['agents', 'cases', 'clock', 'contact', 'keys', 'outbox', 'orders'];
const commands = documents.flatMap(listDocumentedCommands);

/** Simulates a machine with npm and an old Node, and nothing of this project on the PATH. */
const env = { ...process.env, PATH: (process.env['PATH'] ?? '').replace(/[^:]*node_modules[^:]*:?/g, '') };

/** The words after the program's name, for each command of the program. */
const cliCommands = commands.flatMap(({ document, words }) => {
  const args = parseOfficeCommand(words);
  return args && args[0] !== 'serve' ? [{ document, words: args }] : [];
});

test('the documents have commands', () => {
  assert.ok(commands.length > 60, `${commands.length}`);
  assert.ok(cliCommands.length > 20, `${cliCommands.length}`);
});

test('no command runs an installed Node, or a program that would have to be downloaded', () => {
  assert.deepEqual(listLines(isForeignProgram), []);
});

test('every npm script that is named exists', () => {
  assert.deepEqual(listLines(hasUnknownScript), []);
});

test('every file that a command names exists', () => {
  assert.deepEqual(listLines(hasMissingFile), []);
});

test('a planted broken command is found', () => {
  const text =
    'Try `node x.ts` or\n\n```sh\nexport A=$(npx nonesuch) && npm run lost # now\n```\n\n```\n$ npm run check -- src/no.ts\n```\n';
  const [nonesuch, lost, missing, bare] = listDocumentedCommands({ path: 'planted.md', text });
  assert.deepEqual(
    [nonesuch, lost, missing, bare].map((planted) => planted?.words),
    [
      ['npx', 'nonesuch'],
      ['npm', 'run', 'lost'],
      ['npm', 'run', 'check', '--', 'src/no.ts'],
      ['node', 'x.ts'],
    ],
  );
  assert.ok(nonesuch && isForeignProgram(nonesuch) && bare && isForeignProgram(bare));
  assert.ok(lost && hasUnknownScript(lost) && missing && hasMissingFile(missing));
});

test('every command of the command line exists, with the options that are named', async () => {
  const groups = new Set([...NAMED_GROUPS, ...cliCommands.map(({ words: [group = ''] }) => group)]);
  const usages = new Map(
    (await Promise.all([...groups].map(async (group) => [...(await readUsages(group))]))).flat(),
  );
  for (const { document, words } of cliCommands) {
    const [group = '', name = ''] = words;
    if (name === '' || group === 'help') continue;
    const usage = usages.get(`${group} ${name}`) ?? usages.get(group);
    assert.ok(usage, `${document}: there is no ${group} ${name}`);
    const options = words.filter((word) => word.startsWith('--') && word !== '--help' && word !== '--json');
    for (const option of options)
      assert.ok(
        (usage.includes(option)
          ? usage
          : (await runCli({}, [group, ...(name.startsWith('--') ? [] : [name]), '--help'])).stdout
        ).includes(option),
        `${document}: ${option}`,
      );
  }
  const named = documents.flatMap((document) =>
    listInlineCode(document).filter(
      (code) => /^[a-z]+ [a-z-]+\b/.test(code) && NAMED_GROUPS.includes(code.split(' ')[0]!),
    ),
  );
  for (const code of named) assert.ok(usages.has(code.split(' ').slice(0, 2).join(' ')), code);
});

test('commands that need no service run as documented', async (t) => {
  const folder = await createTemporaryFolder(t);
  const harmless = cliCommands.filter(
    ({ words: [group, name, option] }) =>
      (group === 'keys' && (name === 'new' || (name === 'master' && !option))) || (group === 'help' && !name),
  );
  const lines = new Set(harmless.map(({ words }) => words.join(' ')));
  assert.deepEqual([...lines].toSorted(), [
    'help',
    'keys master',
    'keys new',
    'keys new --desk Ada --out ~/office-keys',
    'keys new --out ~/office-keys',
  ]);
  for (const line of lines) {
    // `keys new` alone writes to the current folder, so it gets a folder too.
    const words = line.replace(/ --out \S+/, '').split(' ');
    const args = line.startsWith('keys new') ? [...words, '--out', folder] : words;
    const { stdout } = await run('bin/office', args, { env });
    assert.match(stdout, line === 'help' ? /^Usage: / : /^(\S+=|Ada investigator )?\S+\n/m, line);
  }
});

function listLines(select: (command: DocumentedCommand) => boolean): string[] {
  return commands.filter(select).map(({ document, words }) => `${document}: ${words.join(' ')}`);
}

function isForeignProgram({ words: [program, name = ''] }: DocumentedCommand): boolean {
  return program === 'node' || (program === 'npx' && !existsSync(join('node_modules', '.bin', name)));
}

function hasUnknownScript({ words }: DocumentedCommand): boolean {
  if (words[0] !== 'npm' || ['ci', 'link', '--prefix'].includes(words[1] ?? '')) return false;
  const script = words[1] === 'run' ? parseNpmRun(words)?.script : words[1];
  return script === undefined || !(script in scripts);
}

function hasMissingFile({ words }: DocumentedCommand): boolean {
  return words.some((word) => PROJECT_FILE.test(word) && globSync(word).length === 0);
}

function parseNpmRun([program, verb, ...rest]: readonly string[]) {
  if (program !== 'npm' || verb !== 'run') return null;
  const [script = '', dashes, ...args] = rest.filter((word) => word !== '--silent' && word !== '-s');
  return { script, args: dashes === '--' ? args : [] };
}

/** `office …`, in the project's folder also `bin/office …` and `npm run cli -- …`. */
function parseOfficeCommand(words: readonly string[]): readonly string[] | null {
  const parsed = parseNpmRun(words);
  if (parsed) return parsed.script === 'cli' ? parsed.args : null;
  const [program = '', ...args] = words;
  return ['office', 'bin/office'].includes(program) ? args : null;
}

async function readUsages(group: string): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await runCli({}, ['help', group]);
  const usages = stdout.matchAll(/^(?: {2}|Usage: office )((\w+(?: \w[\w-]*)?).*)$/gm);
  return new Map([...usages].map(([, usage = '', name = '']) => [name, usage]));
}
