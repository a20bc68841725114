/** An investigator at the command line, next to a running service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { runCommand } from '#cli/commands.ts';
import { type Case, findCaseByLookup } from '#store/cases/cases.ts';
import { type FormFile, openPaidForm } from '#test/cases/plain-form.ts';
import { type SealedForm, sealInquiryForm, sendSealedForm } from '#test/cases/sealed-form.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';
import type { TestShop } from '#test/test-shop.ts';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, with this standard input. */
export async function runCli(
  env: Record<string, string>,
  words: readonly string[],
  input: string | Uint8Array = '',
): Promise<CliResult> {
  const stdin = Readable.from(input.length > 0 ? [Buffer.from(input)] : []);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([readText(stdout), readText(stderr)]);
  const code = await runCommand(words, { stdin, stdout, stderr, env });
  stdout.end();
  stderr.end();
  const [printed, complained] = await written;
  return { code, stdout: printed, stderr: complained };
}

/** Runs the real program, where the process itself matters. */
export async function spawnCli(env: Record<string, string>, words: readonly string[]): Promise<CliResult> {
  const child = spawn(process.execPath, ['bin/office.js', ...words], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = Promise.all([readText(child.stdout), readText(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  const [stdout, stderr] = await written;
  return { code, stdout, stderr };
}

const QUESTION = /(?:assphrase [^\n]*|Type it again|Type \w+ to continue): /g;

/** Runs the real program on a terminal, and answers its questions in turn, as a person would. */
export async function runOnTerminal(
  env: Record<string, string>,
  words: readonly string[],
  answers: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const line = [process.execPath, 'bin/office.js', ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const left = [...answers];
  let output = '';
  let seen = 0;
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
    const asked = output.match(QUESTION)?.length ?? 0;
    for (; seen < asked; seen += 1) child.stdin.write(`${left.shift() ?? '\u0003'}\r`);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output.replaceAll('\r\n', '\n') };
}

export interface DeskCli {
  readonly key: string;
  readonly run: (...args: string[]) => Promise<CliResult>;
  /** The output of a command that must succeed. */
  readonly runForText: (...args: string[]) => Promise<string>;
  readonly runForJson: <Result = Record<string, unknown>>(...args: string[]) => Promise<Result>;
  /** The one line of a command that must fail. */
  readonly runRefused: (code: number, ...args: string[]) => Promise<string>;
}

/** Without a port, no service runs on this folder. */
interface OwnFolder extends Pick<TestShop, 'dataDir'> {
  readonly port?: number;
}

/** The environment of the machine on which this service runs. */
export function toOwnServiceEnv({ dataDir, port }: OwnFolder): Record<string, string> {
  return { DATA_DIR: dataDir, ...(port === undefined ? {} : { PORT: String(port) }) };
}

/** Runs commands that open the records, and those that use the service of this machine with its desk key. */
export function createDeskCli(shop: OwnFolder, env: Record<string, string> = {}): DeskCli {
  const run: DeskCli['run'] = (...args) => runCli({ ...toOwnServiceEnv(shop), ...env }, args);
  const readOutput: DeskCli['runForText'] = async (...args) => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  return {
    key: join(shop.dataDir, 'keys', 'desk.key'),
    run,
    runForText: readOutput,
    runForJson: async (...args) => JSON.parse(await readOutput(...args, '--json')),
    runRefused: async (expected, ...args) => {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [expected, ''], stderr);
      const line = stderr.replace(/^First opening .*\n/, '');
      assert.match(line, /^[^\n]+\n$/, 'one line');
      return line;
    },
  };
}

export interface SentCase extends SealedForm {
  readonly id: string;
}

export async function sendCase(
  shop: TestShop,
  { tier = 'Trace', files = [] }: { tier?: string; files?: readonly FormFile[] } = {},
): Promise<SentCase> {
  const form = await openPaidForm(shop, tier);
  const sealed = await sealInquiryForm(shop, form, files);
  const answer = await sendSealedForm(shop, form, sealed);
  assert.ok(answer.status < 300, answer.text);
  return { ...sealed, id: (await requireStoredCase(shop, sealed)).id };
}

export async function requireStoredCase(
  { store }: Pick<TestShop, 'store'>,
  { keys }: SealedForm,
): Promise<Case> {
  const record = await findCaseByLookup(store.records, keys.lookupHash, Date.now());
  assert.ok(record);
  return record;
}

export async function sendBuyerMessage(
  shop: TestShop,
  sent: SentCase,
  seq: number,
  text: string,
): Promise<void> {
  await addSealedMessage(shop.services, sent, { by: 'buyer', seq }, { text, call_windows: [] });
}
