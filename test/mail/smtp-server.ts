/** An SMTP server that accepts or refuses every e-mail, speaks TLS, goes away and returns, as the test sets it. */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { TLSSocket } from 'node:tls';
import type { CleanupScope } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';

interface SmtpFaults {
  refusing: boolean;
  refusingLogin: boolean;
  /** Accepts the e-mail, but its answer is lost. */
  losingAnswers: boolean;
}

export interface SmtpCertificate {
  readonly key: string;
  readonly cert: string;
}

export interface SmtpServer extends SmtpFaults {
  readonly url: string;
  /** Envelope and text of each e-mail. */
  readonly received: { readonly to: readonly string[]; readonly text: string }[];
  /** Refuses connections until it comes back. */
  readonly leave: () => Promise<void>;
  readonly resume: () => Promise<void>;
}

type SmtpState = SmtpFaults & Pick<SmtpServer, 'received'>;

/** With a certificate it offers STARTTLS. */
export async function startSmtpServer(
  t: CleanupScope,
  certificate: SmtpCertificate | null = null,
): Promise<SmtpServer> {
  const state: SmtpState = { received: [], refusing: false, refusingLogin: false, losingAnswers: false };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write('220 test\r\n');
    void answerSmtpLines(socket, state, certificate);
  });
  const listen = (at: number) =>
    new Promise<void>((resolve) => void server.listen(at, '127.0.0.1', () => resolve()));
  const leave = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  // Not a port that the system gives to outgoing connections, so it stays free while the server is away.
  const [port = 0] = await findFreePorts(1);
  await listen(port);
  t.after(leave);
  return Object.assign(state, { url: `smtp://127.0.0.1:${port}`, leave, resume: () => listen(port) });
}

async function answerSmtpLines(
  socket: Socket,
  state: SmtpState,
  offered: SmtpCertificate | null,
): Promise<void> {
  const writeLine = (line: string) => socket.write(`${line}\r\n`);
  let to: string[] = [];
  let text: string[] | null = null;
  const lines = createInterface({ input: socket });
  for await (const line of lines) {
    if (text && line !== '.') text.push(line);
    else if (text) {
      state.received.push({ to, text: text.join('\n') });
      [to, text] = [[], null];
      if (state.losingAnswers) return void socket.destroy();
      writeLine('250 taken');
    } else if (line.startsWith('EHLO'))
      writeLine(`250-test\r\n${offered ? '250-STARTTLS\r\n' : ''}250 AUTH PLAIN`);
    else if (line === 'STARTTLS' && offered) {
      writeLine('220 go on');
      lines.close();
      const secure = new TLSSocket(socket, { isServer: true, ...offered });
      secure.on('error', () => {});
      return await answerSmtpLines(secure, state, null);
    } else if (line.startsWith('AUTH')) writeLine(state.refusingLogin ? '535 no' : '235 fine');
    else if (line.startsWith('RCPT TO:')) {
      to.push(line.slice('RCPT TO:'.length).replace(/^<(.*)>.*$/, '$1'));
      writeLine(state.refusing ? '451 later' : '250 fine');
    } else if (line === 'DATA') {
      text = [];
      writeLine('354 go on');
    } else writeLine(line === 'QUIT' ? '221 bye' : '250 fine');
  }
}
