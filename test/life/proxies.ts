/** The proxies of deploy/, with their files filled in for a service and ports of a test. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';

export interface ProxyPorts {
  readonly plain: number;
  readonly secure: number;
  readonly service: number;
  readonly management: number;
}

export interface TestedProxy {
  readonly program: string;
  /** Writes its configuration into the folder; returns the arguments to start it with. */
  readonly prepare: (folder: string, ports: ProxyPorts, dataDir: string) => Promise<string[]>;
}

/** Every replacement must match something, so that the test runs what the file says. */
async function replacePlaceholders(
  file: string,
  replacements: readonly (readonly [RegExp, string])[],
): Promise<string> {
  let text = await readFile(file, 'utf8');
  for (const [pattern, replacement] of replacements) {
    assert.match(text, pattern, file);
    text = text.replaceAll(new RegExp(pattern, 'gm'), replacement);
  }
  return text;
}

export const haproxy: TestedProxy = {
  program: 'haproxy',
  prepare: async (folder, { plain, secure, service, management }, dataDir) => {
    const text = await replacePlaceholders('deploy/haproxy.cfg', [
      [/^ +(?:user|group) haproxy\n/m, ''],
      [/^ +bind \[::\].*\n/m, ''],
      [/bind :80$/m, `bind 127.0.0.1:${plain}`],
      [/bind :443 /, `bind 127.0.0.1:${secure} `],
      [/\/etc\/haproxy\/certs\/ strict-sni/, join(dataDir, 'tls', 'localhost.pem')],
      [/127\.0\.0\.1:8443/, `127.0.0.1:${service}`],
      [/inter 2s/, 'inter 200ms'],
      [/port 9464/, `port ${management}`],
      [/hdr Host office\.example/, 'hdr Host localhost'],
    ]);
    await writeFile(join(folder, 'haproxy.cfg'), text);
    return ['-db', '-f', join(folder, 'haproxy.cfg')];
  },
};

export const nginx: TestedProxy = {
  program: 'nginx',
  prepare: async (folder, { plain, secure, service }, dataDir) => {
    const site = await replacePlaceholders('deploy/nginx.conf', [
      [/^ +listen \[::\].*\n/m, ''],
      [/listen 80;/, `listen 127.0.0.1:${plain};`],
      [/listen 443 /, `listen 127.0.0.1:${secure} `],
      [/server_name office\.example;/, 'server_name localhost;'],
      [/\S+fullchain\.pem/, join(dataDir, 'tls', 'localhost.crt')],
      [/\S+privkey\.pem/, join(dataDir, 'tls', 'localhost.pem')],
      [/127\.0\.0\.1:8443/, `127.0.0.1:${service}`],
      [/\/var\/log\/nginx/, folder],
    ]);
    await writeFile(join(folder, 'site.conf'), site);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    const main = `daemon off; pid ${folder}/pid; ${process.getuid?.() === 0 ? 'user root;' : ''} events {}
      http { ${temporary} include ${folder}/site.conf; }`;
    await writeFile(join(folder, 'nginx.conf'), main);
    return ['-e', join(folder, 'error.log'), '-p', folder, '-c', join(folder, 'nginx.conf')];
  },
};

export const caddy: TestedProxy = {
  program: 'caddy',
  prepare: async (folder, { plain, secure, service }, dataDir) => {
    const certificate = join(dataDir, 'tls', 'localhost.crt');
    const text = await replacePlaceholders('deploy/Caddyfile', [
      [/^\{\n/m, `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${plain}\n\thttps_port ${secure}\n`],
      [/^\trequest_body /m, `\ttls ${certificate} ${join(dataDir, 'tls', 'localhost.pem')}\n\trequest_body `],
      [/\{\$OFFICE_SITE:office\.example\}/, 'localhost'],
      [/127\.0\.0\.1:8443/, `127.0.0.1:${service}`],
    ]);
    await writeFile(join(folder, 'Caddyfile'), text);
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
};

export function isInstalled({ program }: TestedProxy): boolean {
  return findProgram(program) !== null;
}

/** Stops the proxy at the end of the test. Returns a function that reads all its output so far. */
export async function startProxy(
  t: CleanupScope,
  proxy: TestedProxy,
  ports: ProxyPorts,
  dataDir: string,
  env: Record<string, string> = {},
): Promise<() => string> {
  const folder = await createTemporaryFolder(t);
  const args = await proxy.prepare(folder, ports, dataDir);
  const child = spawn(findProgram(proxy.program) ?? '', args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return () => said;
}

/** Debian installs some programs where only root's PATH looks. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
