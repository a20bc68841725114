/** An HTTP/2 server in front of a shop, like the proxies of `deploy/` in front of the service. */
import { readFile } from 'node:fs/promises';
import { createSecureServer, type IncomingHttpHeaders } from 'node:http2';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { CleanupScope } from '#test/cleanup.ts';
import type { TestShop } from '#test/test-shop.ts';

/** Headers that HTTP/2 forbids (RFC 9113 §8.2.2). */
const DROPPED = ['connection', 'keep-alive', 'transfer-encoding'];

/** Returns the origin that serves the shop's pages over HTTP/2; for viewing them only. */
export async function startHttp2Front(t: CleanupScope, { dataDir, origin }: TestShop): Promise<string> {
  // Contains the key, then the certificate.
  const pem = await readFile(join(dataDir, 'tls', 'localhost.pem'));
  const agent = new Agent({ ca: pem, keepAlive: true });
  const server = createSecureServer({ cert: pem, key: pem }, (incoming, outgoing) => {
    const { pathname, search } = new URL(incoming.url, origin);
    request(
      origin + pathname + search,
      { agent, method: incoming.method, headers: toPlainHeaders(incoming.headers) },
      (answer) => {
        for (const name of DROPPED) delete answer.headers[name];
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    )
      .on('error', () => outgoing.destroy())
      .end();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  t.after(() => {
    agent.destroy();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

function toPlainHeaders(headers: IncomingHttpHeaders): Record<string, string | string[] | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
}
