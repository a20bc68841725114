/** Every command of the API reference is one that a shell reads and that the service understands. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { openApiTestbed } from '#test/api/api-testbed.ts';
import { browserHeaders } from '#test/site/every-page.ts';

/** The name of the example is reserved (RFC 6761 §6.5), so no name service knows it. */
const testbed = await openApiTestbed({ after }, { resolveHost: async () => ['93.184.215.14'] });
const agent = await testbed.createAgent();
const { text } = await testbed.get('/docs', { headers: browserHeaders });
const commands = [...text.matchAll(/<article id="(\w+)">[\s\S]*?<code>(curl [\s\S]*?)<\/code>/g)].map(
  ([, id = '', command = '']) => ({ id, command: decodeHtml(command) }),
);
/** The order, case or file that the example of an operation names does not exist. */
const EXPECTED: readonly number[] = [200, 201, 202, 204, 404];

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

/** As the shell hands them to the program, of which there may be none here. */
async function readArguments(command: string): Promise<string[]> {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = { PATH: process.env['PATH'] ?? '', ACCESS_TOKEN: agent.authorization.split(' ')[1] ?? '' };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { env });
  return stdout.split('\0').slice(0, -1);
}

test('the reference has a command for each operation', () => {
  assert.equal(commands.length, text.match(/<article id=/g)?.length);
});

for (const { id, command } of commands)
  test(`${id} can be called as the reference writes it`, async () => {
    const args = await readArguments(command);
    const take = (option: string) => args.flatMap((arg, index) => (args[index - 1] === option ? [arg] : []));
    const url = args.find((arg) => arg.startsWith('https:')) ?? '';
    assert.ok(url.startsWith(`${testbed.origin}/api/`), url);
    const headers = Object.fromEntries(take('-H').map((header) => header.toLowerCase().split(/: (.*)/s)));
    const [body = take('--data-binary').length > 0 ? 'piece' : undefined] = take('-d');
    const { status, json } = await testbed.get(url.slice(testbed.origin.length), {
      method: take('-X')[0] ?? 'GET',
      headers: { ...headers, ...(headers['authorization'] && { authorization: agent.authorization }) },
      ...(body !== undefined && { body }),
    });
    assert.ok(
      EXPECTED.includes(status) || json['code'] === 'terms_changed',
      `${status} ${JSON.stringify(json)}`,
    );
    assert.equal(take('-o').length, id.endsWith('File') ? 1 : 0, 'bytes go to a file');
  });
