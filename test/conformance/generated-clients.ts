/** Clients that third-party generators produce from the served description of the API. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { installTools } from '#test/flows/third-party-tools.ts';

const TOOL_MS = 240_000;

export interface GeneratedClients {
  /** Has the description as `openapi.json`, and the output of each generator. */
  readonly folder: string;
  readonly runTool: (program: string, ...args: readonly string[]) => Promise<string>;
}

/** Writes the description; `runTool` returns what a tool prints, and throws an error with that text if it fails. */
export async function prepareGeneratedClients(
  folder: string,
  description: string,
): Promise<GeneratedClients> {
  const modules = await installTools();
  await writeFile(join(folder, 'openapi.json'), description);
  return {
    folder,
    runTool: async (program, ...args) => {
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        [resolve(modules, program), ...args],
        { cwd: folder, timeout: TOOL_MS, env: { ...process.env, NODE_PATH: modules } },
      );
      return stdout + stderr;
    },
  };
}

/** A program that uses the output of `@hey-api/openapi-ts`: submits in plain, or reads the finding. */
const PROGRAM = `
import { client } from './hey/client.gen';
import { createInquiry, openPlainCase } from './hey/sdk.gen';
import type { Inquiry } from './hey/types.gen';

const [api = '', token = '', ...args] = process.argv.slice(2);
client.setConfig({ baseUrl: api, auth: token, throwOnError: true });
if (args[0] === 'submit') {
  const body = JSON.parse(args[1] ?? '') as Inquiry;
  const { data } = await createInquiry({ body, throwOnError: true });
  console.log(JSON.stringify({ id: data.id, words: data.words }));
} else {
  const [, id = '', words = ''] = args;
  const { data } = await openPlainCase({ path: { case: id }, body: { words }, throwOnError: true });
  console.log(JSON.stringify({ state: data.state, markdown: data.finding?.markdown }));
}
`;

export async function runGeneratedClient(
  { folder }: GeneratedClients,
  certificate: string,
  args: readonly string[],
): Promise<Record<string, string>> {
  const outfile = join(folder, 'program.mjs');
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  await build({
    entryPoints: [join(folder, 'program.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  const env = { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: certificate };
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, ...args], { env });
  return JSON.parse(stdout) as Record<string, string>;
}

/** Writes strict compiler settings, which also check the program. */
export async function writeCompilerSettings(folder: string, nodeTypes: string): Promise<void> {
  const settings = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      skipLibCheck: true,
      typeRoots: [nodeTypes],
      types: ['node'],
    },
    include: ['hey', 'orval', 'schema.d.ts', 'program.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
}
