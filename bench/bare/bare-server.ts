/** A Fastify server with TLS and a health route, as every bare server is. */
import { type FastifyInstance, fastify } from 'fastify';
import { generateBareCertificate } from './own-certificate.ts';

/** `addRoutes` adds what is compared. */
export async function startBareServer(addRoutes: (app: FastifyInstance) => void = () => {}): Promise<void> {
  const app = fastify({ https: await generateBareCertificate() });
  app.get('/api/health', async () => ({ status: 'ok' }));
  addRoutes(app);
  await app.listen({ host: 'localhost', port: Number(process.env['PORT']) });
  process.on('SIGTERM', () => process.exit(0));
}
