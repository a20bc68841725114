/** A site on another port of this machine that tries to reach the desk with everything a page can do. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CleanupScope } from '#test/cleanup.ts';

export interface AttackingSite {
  readonly port: number;
  /** Everything that the browser sent to it, above all its cookies. */
  readonly received: readonly IncomingMessage[];
}

/** `/form?TARGET`, `/frame?TARGET` and `/parts?TARGET` are pages that attack the address after the question mark. */
export async function startAttackingSite(t: CleanupScope): Promise<AttackingSite> {
  const received: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    const [path = '', target = ''] = (request.url ?? '').split('?');
    const body = pages[path]?.(decodeURIComponent(target)) ?? '';
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!DOCTYPE html><title>Other</title>${body}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, received };
}

/** A program that takes over the desk's port: it answers everything with a page that asks for a passphrase. */
export async function startSquatter(t: CleanupScope, port: number): Promise<{ readonly heard: string[] }> {
  const heard: string[] = [];
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((request, response) => {
      void text(request).then((body) => heard.push(`${request.method} ${request.url} ${body}`));
      response.writeHead(200, { 'content-type': 'text/html' }).end(pages['/form']!('/unlock'));
    });
    // Without IPv6, only the first address exists.
    await once(server.listen(port, host), 'listening').catch(() => {});
    t.after(() => server.close().closeAllConnections());
  }
  return { heard };
}

const pages: Readonly<Record<string, (target: string) => string>> = {
  '/form': (target) =>
    `<form method="post" action="${target}"><input name="act" value="purge"><button>Go</button></form>`,
  '/frame': (target) => `<iframe src="${target}"></iframe>`,
  '/parts': (target) =>
    `<img src="${target}"><link rel="stylesheet" href="${target}"><script src="${target}"></script>`,
};
