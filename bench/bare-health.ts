/** The baseline of the health bench: a minimal Fastify server with the same response over TLS. */
import { fastify } from 'fastify';
import { generate } from 'selfsigned';

const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
  curve: 'P-256',
});
const app = fastify({ https: { key, cert } });
app.get('/api/health', async () => ({ status: 'ok' }));
await app.listen({ host: 'localhost', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit(0));
