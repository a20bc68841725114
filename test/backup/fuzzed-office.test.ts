/** A backup can be restored, whatever strangers and programs have sent to any route before it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openAgentCase, openApiTestbed } from '#test/api/api-testbed.ts';
import { createFuzzer } from '#test/api/bad-requests.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { TEST_MASTER_KEY } from '#test/store/engines.ts';

/** Text that is no number, numbers in unusual notation, and text that no column accepts. */
const ODD = ['Infinity', '-Infinity', '1e400', 'NaN', '-0', '0x10', '1e2', '9e18', '%00', '%ED%A0%80', '0'];
const LINE = /^(?<indent>[│ ]*)[├└]── (?<path>.*?)(?: \((?<methods>[A-Z, ]+)\))?$/;

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Lists the routes in the tree that the router prints. */
function listRoutes(tree: string): Route[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const { indent = '', path = '', methods } = LINE.exec(line)?.groups ?? {};
    const depth = indent.length / 4;
    parents.splice(depth, Infinity, path);
    return (methods?.split(', ') ?? []).map((method) => ({ method, path: parents.join('') }));
  });
}

test('a backup restores after odd requests to every route', async (t) => {
  const dataDir = await createDataFolder(t);
  const env = { MASTER_KEY: TEST_MASTER_KEY, DATA_DIR: dataDir, ...(await readRecipientSettings(dataDir)) };
  const testbed = await openApiTestbed({ after }, { env });
  const agent = await testbed.createAgent();
  const { id } = await openAgentCase(testbed, agent);
  const { orderId } = await agent.buy();
  const known: Readonly<Record<string, string>> = { case: id, order: orderId, upload: 'U'.repeat(22) };
  const { sendInProcess } = createFuzzer(testbed, agent);
  const routes = listRoutes(testbed.app.printRoutes({ commonPrefix: false }));
  assert.ok(routes.length > 80, `${routes.length} routes`);
  for (const { method, path } of routes)
    for (const odd of path.includes(':') ? ODD : ['0']) {
      const url = path.replaceAll(/:(\w+)[^/]*/g, (_, name: string) => known[name] ?? odd);
      const type = method === 'PUT' ? 'application/octet-stream' : 'application/json';
      const payload =
        method === 'PUT'
          ? Buffer.alloc(100)
          : JSON.stringify({ piece: odd, seq: Number.MAX_VALUE, size: 1.5 });
      const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
      const headers: Record<string, string> = hasBody ? { 'content-type': type } : {};
      await sendInProcess({ method, url: `${url}?limit=${odd}`, headers, ...(hasBody && { payload }) });
    }
  const folder = await createTemporaryFolder(t);
  const desk = createDeskCli({ dataDir }, env);
  await desk.runForText('backup', '--to', folder);
  assert.doesNotMatch((await desk.run('doctor')).stdout, /another type/);
  const place = { ...env, DATA_DIR: join(folder, 'restored') };
  const report = await createDeskCli({ dataDir }, place).runForJson<{ cases: number }>(
    'restore',
    '--from',
    folder,
    '--key',
    desk.key,
  );
  assert.equal(report.cases, 1);
});
