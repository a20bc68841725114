/** Every example of the API reference is valid in its language, and the service understands it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CHAPTERS } from '#agents/reference/chapters.ts';
import { buildSignedHeaders } from '#clients/webhook-delivery.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { startEventReceiver } from '#test/webhooks/receiver.ts';
import { openWebhookTestbed } from '#test/webhooks/webhook-testbed.ts';

const run = promisify(execFile);
const scope = withReverseCleanup({ after });
/** The host name in the examples is reserved (RFC 6761 §6.5), so no name service resolves it. */
const testbed = await openWebhookTestbed(scope, { resolveHost: async () => ['93.184.215.14'] });
const agent = await testbed.createAgent();
const folder = await createTemporaryFolder(scope);
await writeFile(join(folder, 'piece'), 'piece');
const certificate = join(testbed.dataDir, 'tls', 'localhost.crt');
const env = {
  PATH: process.env['PATH'] ?? '',
  ACCESS_TOKEN: agent.authorization.split(' ')[1] ?? '',
  NODE_EXTRA_CA_CERTS: certificate,
  SSL_CERT_FILE: certificate,
};
const pages = await Promise.all(
  CHAPTERS.map(async ({ path }) => (await testbed.get(path, { headers: browserHeaders })).text),
);
const operations = pages.flatMap((text) =>
  [...text.matchAll(/<article id="(\w+)">([\s\S]*?)<\/article>/g)].map(([, id = '', article = '']) => ({
    id,
    examples: readBlocks(article),
  })),
);
const [, signatures = ''] = /<section id="signatures">([\s\S]*?)<\/section>/.exec(pages.join('')) ?? [];

/** The text of the first block in each language. */
function readBlocks(markup: string): Readonly<Record<string, string>> {
  const blocks = [...markup.matchAll(/data-language="(\w+)"><code>([\s\S]*?)<\/code>/g)];
  return Object.fromEntries(
    blocks.toReversed().map(([, language = '', text = '']) => [language, decodeHtml(text)]),
  );
}

function decodeHtml(escaped: string): string {
  const characters: Readonly<Record<string, string>> = {
    '&quot;': '"',
    '&#39;': "'",
    '&lt;': '<',
    '&gt;': '>',
    '&amp;': '&',
  };
  return escaped.replaceAll(/&(?:quot|#39|lt|gt|amp);/g, (entity) => characters[entity] ?? entity);
}

/** The order, case or file in an example does not exist, and its version of the terms is not the current one. */
function assertUnderstood(problem: string, id: string): void {
  if (problem === '') return;
  const { status, code } = JSON.parse(problem) as { status: number; code: string };
  assert.ok(status === 404 || code === 'terms_changed', `${id}: ${problem}`);
}

/** The arguments as the shell passes them to the program, which need not be installed. */
async function readArguments(command: string): Promise<string[]> {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = await run('/bin/sh', ['-c', script], { env });
  return stdout.split('\0').slice(0, -1);
}

test('the reference has examples in three languages for each operation', async () => {
  const { json } = await testbed.get('/openapi.json');
  const described = Object.values(json['paths'] as object).flatMap((item) => Object.values(item as object));
  assert.equal(operations.length, described.length);
  for (const { id, examples } of operations)
    for (const language of ['sh', 'js', 'python']) assert.ok(examples[language], `${id} in ${language}`);
});

for (const { id, examples } of operations)
  test(`${id} can be called with curl as the reference writes it`, async () => {
    const args = await readArguments(examples['sh'] ?? '');
    const take = (option: string) => args.flatMap((arg, index) => (args[index - 1] === option ? [arg] : []));
    const url = args.find((arg) => arg.startsWith('https:')) ?? '';
    assert.ok(url.startsWith(`${testbed.origin}/api/`), url);
    const headers = Object.fromEntries(take('-H').map((header) => header.toLowerCase().split(/: (.*)/s)));
    const [body = take('--data-binary').length > 0 ? 'piece' : undefined] = take('-d');
    const { status, text } = await testbed.get(url.slice(testbed.origin.length), {
      method: take('-X')[0] ?? 'GET',
      headers: { ...headers, ...(headers['authorization'] && { authorization: agent.authorization }) },
      ...(body !== undefined && { body }),
    });
    assertUnderstood(status < 400 ? '' : text, id);
    assert.equal(take('-o').length, id.endsWith('File') ? 1 : 0, 'bytes go to a file');
  });

/** Runs each file passed to it, and prints by name what the service answered to those that fail. */
const JAVASCRIPT_RUNNER = `import { pathToFileURL } from 'node:url';
console.log = () => {};
const results = {};
for (const id of process.argv.slice(2))
  results[id] = await import(pathToFileURL(id + '.js.mjs')).then(() => '', ({ message }) => message);
process.stdout.write(JSON.stringify(results));
`;

const PYTHON_RUNNER = `import contextlib, io, json, runpy, sys, urllib.error
results = {}
for name in sys.argv[1:]:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(name + ".python.mjs")
        results[name] = ""
    except urllib.error.HTTPError as error:
        results[name] = error.read().decode()
print(json.dumps(results))
`;

async function runExamples(language: string, program: string, runner: string): Promise<void> {
  const ids = operations.map(({ id }) => id);
  await writeFile(join(folder, `runner.${language}.mjs`), runner);
  for (const { id, examples } of operations)
    await writeFile(join(folder, `${id}.${language}.mjs`), examples[language] ?? '');
  const { stdout } = await run(program, [`runner.${language}.mjs`, ...ids], { cwd: folder, env });
  const results = JSON.parse(stdout) as Record<string, string>;
  assert.deepEqual(Object.keys(results), ids);
  for (const [id, problem] of Object.entries(results)) assertUnderstood(problem, id);
}

test('every operation can be called in JavaScript as the reference writes it', async () => {
  await runExamples('js', process.execPath, JAVASCRIPT_RUNNER);
});

if (isLongRun)
  test('every operation can be called in Python as the reference writes it', async () => {
    await runExamples('python', 'python3', PYTHON_RUNNER);
  });

test('the check of a signature takes a real event, and neither a changed nor an old one', async (t) => {
  const receiver = await startEventReceiver(t);
  const secret = await testbed.setWebhook(await testbed.createAgent(), receiver.url);
  const other = await testbed.createAgent();
  const otherSecret = await testbed.setWebhook(other, receiver.url);
  await other.request('POST', '/callback/test');
  await testbed.send();
  const [event] = receiver.received;
  assert.ok(event);
  const { headers, body } = event;
  const old = buildSignedHeaders(otherSecret, { id: 'evt_1', body, now: Date.now() - 6 * MINUTE_MS });
  const blocks = readBlocks(signatures);
  const module = join(folder, 'signature.mjs');
  await writeFile(module, blocks['js'] ?? '');
  const { isAuthentic } = (await import(pathToFileURL(module).href)) as {
    isAuthentic: (secret: string, headers: object, body: string) => boolean;
  };
  assert.ok(isAuthentic(otherSecret, headers, body));
  assert.ok(!isAuthentic(secret, headers, body) && !isAuthentic(otherSecret, headers, `${body} `));
  assert.ok(!isAuthentic(otherSecret, old, body) && !isAuthentic(otherSecret, {}, body));
  if (!isLongRun) return;
  const inShell = { SECRET: otherSecret, ID: headers['webhook-id'], TIMESTAMP: headers['webhook-timestamp'] };
  const { stdout: signature } = await run('/bin/sh', ['-c', blocks['sh'] ?? ''], {
    env: { ...env, ...inShell, BODY: body },
  });
  assert.equal(signature.trim(), headers['webhook-signature']);
  const program = `${blocks['python']}\nimport json, sys\nfor case in json.loads(sys.argv[1]): print(is_authentic(case[0], case[1], case[2].encode()))`;
  const cases = [
    [otherSecret, headers, body],
    [secret, headers, body],
    [otherSecret, old, body],
  ];
  const { stdout } = await run('python3', ['-c', program, JSON.stringify(cases)]);
  assert.equal(stdout, 'True\nFalse\nFalse\n');
});
