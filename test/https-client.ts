/** An HTTPS client that trusts the service's own certificate and shows answers as they came. */
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

export type Client = (path: string, ask?: Ask) => Promise<Answer>;

export async function clientFor(origin: string, dataDir: string): Promise<Client> {
  const ca = await readFile(join(dataDir, 'tls', 'localhost.crt'), 'utf8');
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        origin + path,
        { method, headers, ca, agent: false, servername: new URL(origin).hostname },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = incoming.headers['content-type']?.includes('json') && text !== '';
            const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}
