/** What the guide to a server says is what the program has: the log, the settings, the paths of the service unit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { parseEnv } from 'node:util';
import { requireDocument } from './documents.ts';

const guide = requireDocument('docs/operating.md');

test('the catalogue of the log has every event, and no other', () => {
  const source =
    readFileSync('src/platform/log.ts', 'utf8').split('const events = {')[1]?.split('} as const')[0] ?? '';
  const events = [...source.matchAll(/^ {2}(\w+): \[/gm)].map(([, name = '']) => name);
  const table = guide.split('## The log')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, names = '']) => names.split(', '));
  assert.ok(events.length > 20);
  assert.deepEqual(rows.map((name) => name.replaceAll('`', '')).toSorted(), events.toSorted());
});

test('unit, settings, guide and files of proxies speak of the same places', () => {
  const unit = readFileSync('deploy/inquiry-office.service', 'utf8');
  const { DATA_DIR, PORT, METRICS_PORT } = parseEnv(readFileSync('deploy/production.env', 'utf8'));
  assert.equal(DATA_DIR, `/var/lib/${/^StateDirectory=(.+)$/m.exec(unit)?.[1]}`);
  for (const path of [/^WorkingDirectory=(.+)$/m, /^ExecStart=(.+)\/node_modules/m].map(
    (each) => each.exec(unit)?.[1],
  ))
    assert.ok(path && guide.includes(`\n${path}/bin/office setup\n`), path);
  for (const file of ['haproxy.cfg', 'nginx.conf', 'Caddyfile'])
    assert.match(readFileSync(`deploy/${file}`, 'utf8'), new RegExp(`127\\.0\\.0\\.1:${PORT}\\b`), file);
  assert.match(readFileSync('deploy/haproxy.cfg', 'utf8'), new RegExp(`check port ${METRICS_PORT} `));
});

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

test('Caddy, which sorts what it is told, refuses on plain HTTP before it leads on', () => {
  const [, steps = ''] = /\troute \{\n(.*?)\n\t\}/s.exec(readFileSync('deploy/Caddyfile', 'utf8')) ?? [];
  assert.deepEqual(
    steps.split('\n').map((line) => line.trim().split(' ')[0]),
    ['respond', 'respond', 'redir'],
  );
});

test('wherever the service is started, Node gets the same options', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const starts = [
    scripts['start'],
    scripts['serve'],
    /^ExecStart=.*$/m.exec(readFileSync('deploy/inquiry-office.service', 'utf8'))?.[0],
    /^ENTRYPOINT .*$/m.exec(readFileSync('deploy/Containerfile', 'utf8'))?.[0],
  ];
  const options = starts.map((start = '') => start.split('bin/office')[0]?.match(/--[\w=-]+/g));
  assert.deepEqual(options[0], ['--max-semi-space-size=4']);
  for (const given of options) assert.deepEqual(given, options[0]);
});
