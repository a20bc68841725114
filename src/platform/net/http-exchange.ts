/** Sends a request and waits for the head of its answer; however the connection ends, the wait ends with it. */
import type { ClientRequest, IncomingMessage } from 'node:http';

/** Trust, limits and the end in time are the request's own; no redirect is followed. */
export async function exchange(
  outgoing: ClientRequest,
  body?: string | Uint8Array,
): Promise<IncomingMessage> {
  return await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('response', resolve);
    // Node has no response and no error for an answer that changes the protocol.
    outgoing.once('upgrade', (answer, socket) => {
      resolve(answer);
      socket.destroy();
    });
    // After an answer it is no news.
    outgoing.once('close', () => reject(new Error('The connection was closed without an answer.')));
    outgoing.end(body);
  });
}
