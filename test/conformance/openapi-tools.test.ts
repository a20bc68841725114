/** Third-party generators, validators and a bridge to MCP read the served description, and a generated client works. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import test, { after } from 'node:test';
import type { OpenApiDocument } from '#agents/documents/openapi-document.ts';
import { openApiTestbed, samplePlainInquiry } from '#test/api/api-testbed.ts';
import { deliverToPlainCase } from '#test/api/plain-case.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { listBridgedTools } from './bridged-tools.ts';
import {
  type GeneratedClients,
  prepareGeneratedClients,
  runGeneratedClient,
  writeCompilerSettings,
} from './generated-clients.ts';

const scope = withReverseCleanup({ after });
const testbed = await openApiTestbed(scope);
const { text, json } = await testbed.get('/openapi.json');
const { paths } = json as unknown as OpenApiDocument;

const folder = await createTemporaryFolder(scope);
const clients: GeneratedClients = await prepareGeneratedClients(folder, text);
const { runTool } = clients;

test('three validators find nothing', async () => {
  await writeFile(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
  const spectral = ['lint', 'openapi.json', '-r', 'spectral.yaml', '--fail-severity=hint'];
  assert.match(await runTool('@stoplight/spectral-cli/dist/index.js', ...spectral), /No results/);
  const check = join(folder, 'validate.mjs');
  await writeFile(
    check,
    `import { createRequire } from 'node:module'; import { readFileSync } from 'node:fs'; import { pathToFileURL } from 'node:url';
const load = async (name) => await import(pathToFileURL(createRequire(process.env.NODE_PATH + '/x.js').resolve(name)).href);
const text = readFileSync('openapi.json', 'utf8');
const { Validator } = await load('@seriousme/openapi-schema-validator');
const { validate } = await load('@scalar/openapi-parser');
console.log((await new Validator().validate(JSON.parse(text))).valid, (await validate(text)).valid);`,
  );
  assert.equal(await runTool(check), 'true true\n');
});

test('three generators make clients that compile strictly, and one of them reaches the finding in plain', async () => {
  await runTool('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'schema.d.ts');
  await runTool(
    '@hey-api/openapi-ts/bin/run.js',
    '-i',
    'openapi.json',
    '-o',
    'hey',
    '-c',
    '@hey-api/client-fetch',
  );
  await writeFile(
    join(folder, 'orval.config.mjs'),
    "export default { office: { input: './openapi.json', output: { target: './orval/client.ts', client: 'fetch' } } };\n",
  );
  await runTool('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs');
  const agent = await testbed.createAgent();
  const { orderId } = await agent.buy();
  const inquiry = {
    order_id: orderId,
    terms_version: CURRENT_TERMS,
    plain: { inquiry: samplePlainInquiry },
  };
  const [, token = ''] = agent.authorization.split(' ');
  const certificate = join(testbed.dataDir, 'tls', 'localhost.crt');
  const access = [`${testbed.origin}/api`, token];
  const opened = await runGeneratedClient(clients, certificate, [
    ...access,
    'submit',
    JSON.stringify(inquiry),
  ]);
  const { id = '', words = '' } = opened;
  await deliverToPlainCase(testbed, { id, words }, { markdown: '# Found by a generated client' });
  const read = await runGeneratedClient(clients, certificate, [...access, 'read', id, words]);
  assert.deepEqual(read, { state: 'delivered', markdown: '# Found by a generated client' });
  await writeCompilerSettings(folder, resolve('node_modules/@types'));
  await runTool('typescript/bin/tsc', '-p', '.');
});

test('a bridge to MCP offers each operation with a description that stands alone', async () => {
  const tools = await listBridgedTools(join(folder, 'openapi.json'), `${testbed.origin}/api`);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  assert.equal(tools.length, operations.length);
  for (const { summary, operationId } of operations)
    assert.ok(
      tools.some(({ description }) => description.startsWith(summary)),
      operationId,
    );
  const inquiry = tools.find(({ description }) => description.startsWith('Submits the inquiry'));
  assert.match(JSON.stringify(inquiry?.inputSchema), /"terms_version":/, 'with its fields');
});
