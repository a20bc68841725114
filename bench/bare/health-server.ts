/** The baseline of the health bench: a minimal Fastify server with the same response over TLS. */
import { startBareServer } from './bare-server.ts';

await startBareServer();
