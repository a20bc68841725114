/** A front in plain HTTP before a service over TLS, for a tool that sends some of its requests in plain HTTP only. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { CleanupScope } from '#test/cleanup.ts';

/** Passes everything on unchanged, except for the scheme of an origin, which is that of the front. */
export async function startPlainFront(
  t: CleanupScope,
  { port, servicePort, ca }: { readonly port: number; readonly servicePort: number; readonly ca: string },
): Promise<void> {
  const server = createServer((incoming, response) => {
    const { origin } = incoming.headers;
    const outgoing = requestOverTls(
      {
        host: 'localhost',
        servername: 'localhost',
        port: servicePort,
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, ...(origin && { origin: origin.replace(/^http:/, 'https:') }) },
        ca,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
}
