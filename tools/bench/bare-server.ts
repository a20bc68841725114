/** A server to compare with, named by the first argument: Fastify with TLS and nothing but what is compared. */
import { hash, randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { toRowNumber } from '#store/engine/row-number.ts';
import { generateTestCertificate } from '#test/desk/test-certificate.ts';

type Row = Record<string, string | number>;

const port = Number(process.env['PORT']);
const servers: Readonly<Record<string, (app: FastifyInstance) => unknown>> = {
  inquiry: addInquiryRoute,
  read: addReadRoutes,
  token: addTokenRoute,
};
const app = fastify({ https: await generateTestCertificate() });
app.get('/api/health', async () => ({ status: 'ok' }));
await servers[process.argv[2] ?? '']?.(app);
await app.listen({ host: 'localhost', port });
process.on('SIGTERM', () => process.exit(0));

/** Takes the same body and stores nothing. */
function addInquiryRoute(server: FastifyInstance): void {
  type Inquiry = { readonly sealed: { readonly lookup_hash: string } };
  server.post<{ Body: Inquiry }>('/api/inquiries', { bodyLimit: 128 * 1024 }, async (request, reply) => {
    reply.code(201);
    return { id: randomUUID(), lookup_hash: request.body.sealed.lookup_hash, state: 'received' };
  });
}

/** The same look-ups by prepared statements of node:sqlite. */
function addReadRoutes(server: FastifyInstance): void {
  const database = new DatabaseSync(process.env['DATABASE_FILE'] ?? '', { readOnly: true });
  const findToken = database.prepare('select payload, expires_at from tokens where id = ?');
  const findCase = database.prepare('select * from cases where id = ?');
  const listObjects = database.prepare(
    'select id, kind, seq, size, kept_at from objects where case_id = ? order by kept_at, kind, seq',
  );
  const findKey = database.prepare('select ciphertext from case_keys where number = ?');
  const findPiece = database.prepare('select bytes from objects where number = ?');
  const findOwnCase = ({ headers, params }: FastifyRequest<{ Params: { id: string } }>): Row => {
    const value = headers.authorization?.slice('Bearer '.length) ?? '';
    const token = findToken.get(hash('sha256', value, 'base64url')) as Row | undefined;
    if (!token || Number(token['expires_at']) <= Date.now()) throw new Error('no such token');
    const { scope } = JSON.parse(String(token['payload'])) as { scope: string };
    if (!scope.split(' ').includes('case:read')) throw new Error('another scope');
    const record = findCase.get(params.id);
    if (!record) throw new Error('no such case');
    return record as Row;
  };
  const isMessage = ({ kind }: Row) => String(kind).includes('message');
  server.get<{ Params: { id: string } }>('/api/cases/:id', async (request) => {
    const record = findOwnCase(request);
    const { ciphertext } = findKey.get(toRowNumber(request.params.id)) as { ciphertext: Uint8Array };
    const objects = listObjects.all(request.params.id) as Row[];
    const files = objects.filter((object) => !isMessage(object));
    return { ...record, case_key: toText(ciphertext), messages: objects.length - files.length, files };
  });
  server.get<{ Params: { id: string } }>('/api/cases/:id/messages', async (request) => {
    findOwnCase(request);
    const messages = (listObjects.all(request.params.id) as Row[])
      .filter(isMessage)
      .map(({ id, seq, kept_at }) => {
        const { bytes } = findPiece.get(toRowNumber(String(id))) as { bytes: Uint8Array };
        return { seq, sent_at: kept_at, sealed: toText(bytes) };
      });
    return { messages };
  });
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/** The same OAuth engine with its records in memory. */
async function addTokenRoute(server: FastifyInstance): Promise<void> {
  const { default: Provider } = await import('oidc-provider');
  const scope = 'case:read case:write contact:write pricing:read';
  const provider = new Provider(`https://localhost:${port}`, {
    routes: { token: '/oauth2/token' },
    scopes: scope.split(' '),
    clients: [
      {
        client_id: process.env['CLIENT_ID'] ?? '',
        client_secret: process.env['CLIENT_SECRET'] ?? '',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        scope,
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `https://localhost:${port}/api`,
        getResourceServerInfo: () => ({ scope, accessTokenFormat: 'opaque', accessTokenTTL: 600 }),
      },
    },
  });
  const handleRequest = provider.callback();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.post('/oauth2/token', async (request, reply) => {
    reply.hijack();
    await handleRequest(request.raw, reply.raw);
  });
}
