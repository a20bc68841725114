/** An SMTP server that accepts or refuses every letter, as the test sets it. */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { CleanupScope } from '#test/cleanup.ts';

export interface SmtpServer {
  readonly url: string;
  /** Envelope and text of each letter. */
  readonly received: { readonly to: readonly string[]; readonly text: string }[];
  refusing: boolean;
}

export async function startSmtpServer(t: CleanupScope): Promise<SmtpServer> {
  const state: { received: SmtpServer['received']; refusing: boolean } = { received: [], refusing: false };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    void handleSmtpConnection(socket, state);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return Object.assign(state, { url: `smtp://127.0.0.1:${port}` });
}

async function handleSmtpConnection(
  socket: Socket,
  state: Pick<SmtpServer, 'received' | 'refusing'>,
): Promise<void> {
  const writeLine = (line: string) => socket.write(`${line}\r\n`);
  let to: string[] = [];
  let text: string[] | null = null;
  writeLine('220 test');
  for await (const line of createInterface({ input: socket })) {
    if (text && line !== '.') text.push(line);
    else if (text) {
      state.received.push({ to, text: text.join('\n') });
      [to, text] = [[], null];
      writeLine('250 taken');
    } else if (line.startsWith('EHLO')) writeLine('250 test');
    else if (line.startsWith('RCPT TO:')) {
      to.push(line.slice('RCPT TO:'.length).replace(/^<(.*)>.*$/, '$1'));
      writeLine(state.refusing ? '451 later' : '250 fine');
    } else if (line === 'DATA') {
      text = [];
      writeLine('354 go on');
    } else writeLine(line === 'QUIT' ? '221 bye' : '250 fine');
  }
}
