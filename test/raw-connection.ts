/** A connection that sends exactly the specified bytes, for requests that no client library would make. */
import { connect as connectPlain } from 'node:net';
import { connect as connectSecure } from 'node:tls';

/** `closed` is everything received until the other side closed, and how long that took. */
export async function openRawConnection(port: number, layer: 'tcp' | 'tls', localAddress = '127.0.0.1') {
  const start = performance.now();
  const at = { port, host: '127.0.0.1', localAddress };
  const socket = layer === 'tls' ? connectSecure({ ...at, rejectUnauthorized: false }) : connectPlain(at);
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  const closed = new Promise<{ received: string; ms: number }>((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => resolve({ received, ms: performance.now() - start }));
  });
  await new Promise((resolve) => socket.once(layer === 'tls' ? 'secureConnect' : 'connect', resolve));
  return { socket, closed };
}

const FIRST_BYTE_MS = 20_000;
const SILENCE_MS = 1_000;

/** Sends bytes and returns the response, which ends when the other side closes or is silent for a second. */
export async function exchangeRawBytes(port: number, layer: 'tcp' | 'tls', bytes: string): Promise<string> {
  const { socket, closed } = await openRawConnection(port, layer);
  let timer = setTimeout(() => socket.destroy(), FIRST_BYTE_MS);
  socket.on('data', () => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), SILENCE_MS);
  });
  socket.write(bytes);
  const { received } = await closed;
  clearTimeout(timer);
  return received;
}
