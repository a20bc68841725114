/** The baseline of the cold start: `node:https` with one answer, without types to strip and without packages. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const { PORT, TLS_KEY_FILE, TLS_CERT_FILE } = process.env;
const server = createServer(
  { key: readFileSync(TLS_KEY_FILE), cert: readFileSync(TLS_CERT_FILE) },
  (_, response) => response.setHeader('content-type', 'application/json').end('{"status":"ok"}'),
);
server.listen(Number(PORT), 'localhost');
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
