/** A receiver of events: a real https server on loopback, with a certificate that this process trusts. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import type { CleanupScope } from '#test/cleanup.ts';

interface ReceivedEvent {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly path: string;
}

type Answer = (response: ServerResponse) => void;

export type EventReceiver = Awaited<ReturnType<typeof startEventReceiver>>;

export async function startEventReceiver(
  t: CleanupScope,
  { host = 'localhost', isTrusted = true }: { readonly host?: string; readonly isTrusted?: boolean } = {},
) {
  // A unique name: of two certificates with the same subject, the wrong one may be looked up.
  const pems = await generate([{ name: 'commonName', value: randomUUID() }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  if (isTrusted) setDefaultCACertificates([...getCACertificates('default'), pems.cert]);
  const received: ReceivedEvent[] = [];
  let answer: Answer = (response) => void response.writeHead(204).end();
  const server = createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      received.push({ headers: toTexts(request.headers), body, path: request.url ?? '' });
      answer(response);
    });
  });
  const port = await listenOnLoopback(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port,
    url: `https://${host}:${port}/events`,
    /** In PEM. */
    certificate: pems.cert,
    received,
    closeConnections: () => server.closeAllConnections(),
    /** Replaces what is answered; 204 until then. */
    answerWith: (chosen: Answer) => {
      answer = chosen;
    },
  };
}

async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function toTexts(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
