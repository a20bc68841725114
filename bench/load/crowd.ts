/** A crowd: many connections that all send at once, and wait as long as they are told to when they are turned away. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import type { BenchLoad } from './measure.ts';

const SECOND_MS = 1_000;
/** Nothing is worth waiting for longer. */
const GIVE_UP_MS = 30_000;
const OPENED_AT_ONCE = 50;
const HEAD_END = '\r\n\r\n';

export interface CrowdAnswer {
  /** 0 if there was none. */
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: number | null;
  readonly text: string;
}

/**
 * Every connection is open before the first request is sent. Written on bare sockets: a client of node:https would need
 * more time for a thousand connections than the server, and its callers would wait for the client.
 */
export async function sendAsCrowd(
  origin: string,
  load: BenchLoad,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<CrowdAnswer[]> {
  await load.prepare?.();
  const sockets: TLSSocket[] = [];
  const answers: CrowdAnswer[] = [];
  try {
    const session = await openSession(origin);
    while (sockets.length < connections) {
      const count = Math.min(OPENED_AT_ONCE, connections - sockets.length);
      sockets.push(...(await Promise.all(Array.from({ length: count }, () => openSocket(origin, session)))));
    }
    const endsAt = performance.now() + seconds * SECOND_MS;
    const sendRepeatedly = async (socket: TLSSocket) => {
      while (performance.now() < endsAt && !socket.destroyed) {
        const answer = await sendAndWait(socket, serializeRequest(origin, { ...load, ...load.vary?.() }));
        answers.push(answer);
        if (answer.status !== 201) await sleep((answer.retryAfter ?? 1) * SECOND_MS);
      }
    };
    await Promise.all(sockets.map(sendRepeatedly));
    return answers;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Connections that resume it open fast: a server closes one that waits too long for its first request. */
async function openSession(origin: string): Promise<Buffer> {
  const socket = await openSocket(origin);
  const [session] = (await once(socket, 'session')) as [Buffer];
  socket.destroy();
  return session;
}

async function openSocket(origin: string, session?: Buffer): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin);
  const resumed = session ? { session } : {};
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...resumed });
  // Whoever waits for an answer sees that the socket is closed.
  socket.on('error', () => {});
  socket.setEncoding('latin1').setTimeout(GIVE_UP_MS, () => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

function serializeRequest(
  origin: string,
  { path, method = 'GET', headers = {}, body = '' }: BenchLoad,
): string {
  const fields = { host: new URL(origin).host, ...headers, 'content-length': String(body.length) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function sendAndWait(socket: TLSSocket, request: string): Promise<CrowdAnswer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let received = '';
    const finish = (answer: Omit<CrowdAnswer, 'ms'>) => {
      socket.off('data', onData).off('close', onClose);
      resolve({ ...answer, ms: performance.now() - startedAt });
    };
    const onData = (chunk: string) => {
      received += chunk;
      const answer = parseAnswer(received);
      if (answer) finish(answer);
    };
    const onClose = () => finish({ status: 0, retryAfter: null, text: '' });
    socket.on('data', onData).on('close', onClose).write(request, 'latin1');
  });
}

/** Null until all of it is there. */
export function parseAnswer(received: string): Omit<CrowdAnswer, 'ms'> | null {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = received.slice(0, end);
  const text = received.slice(end + HEAD_END.length);
  if (text.length < Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return null;
  const retryAfter = /^retry-after: (\d+)/im.exec(head)?.[1];
  return {
    status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
    retryAfter: retryAfter === undefined ? null : Number(retryAfter),
    text,
  };
}
