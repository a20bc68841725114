/** Sends a request and waits for the head of its answer, but not longer than the connection lasts. */
import type { ClientRequest, IncomingMessage } from 'node:http';

/** The request itself sets trust, limits and its timeout; no redirect is followed. */
export async function exchange(
  outgoing: ClientRequest,
  body?: string | Uint8Array,
): Promise<IncomingMessage> {
  return await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('response', resolve);
    // Node emits neither a response nor an error for an answer that switches protocols.
    outgoing.once('upgrade', (answer, socket) => {
      resolve(answer);
      socket.destroy();
    });
    // After an answer this has no effect.
    outgoing.once('close', () => reject(new Error('The connection was closed without an answer.')));
    outgoing.end(body);
  });
}
