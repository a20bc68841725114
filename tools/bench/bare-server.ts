/** A server to compare with, named by the first argument: Fastify with TLS, and only the compared operation. */
import { hash, randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { toRowNumber } from '#store/engine/row-number.ts';
import { generateTestCertificate } from '#test/desk/test-certificate.ts';

type Row = Record<string, string | number>;

const port = Number(process.env['PORT']);
const INQUIRIES = ['/api/inquiries', { bodyLimit: 128 * 1024 }] as const;
const servers: Readonly<Record<string, (app: FastifyInstance) => unknown>> = {
  inquiry: addInquiryRoute,
  statements: addStoringRoute,
  read: addReadRoutes,
  token: addTokenRoute,
};
const app = fastify({ https: await generateTestCertificate() });
app.get('/api/health', async () => ({ status: 'ok' }));
await servers[process.argv[2] ?? '']?.(app);
await app.listen({ host: 'localhost', port });
process.on('SIGTERM', () => process.exit(0));

interface Inquiry {
  readonly order_id: string;
  readonly terms_version: string;
  readonly sealed: Readonly<Record<'lookup_hash' | 'case_key' | 'sealing_set' | 'envelope', string>>;
}

/** Accepts the same body and stores nothing. */
function addInquiryRoute(server: FastifyInstance): void {
  server.post<{ Body: Inquiry }>(...INQUIRIES, async (request, reply) => {
    reply.code(201);
    return { id: randomUUID(), lookup_hash: request.body.sealed.lookup_hash, state: 'received' };
  });
}

/** Stores the same body with the same statements of node:sqlite; requests of one turn share a commit. */
function addStoringRoute(server: FastifyInstance): void {
  const database = new DatabaseSync(process.env['DATABASE_FILE'] ?? '', { timeout: 10_000 });
  database.exec('pragma synchronous = full; pragma secure_delete = on; pragma cache_size = -16384');
  const findToken = database.prepare('select payload, expires_at from tokens where id = ?');
  const storeInquiry = prepareInquiry(database);
  let group: { readonly body: Inquiry; readonly resolve: (id: string) => void }[] = [];
  const commitGroup = () => {
    database.exec('begin immediate');
    const stored = group.map(({ body, resolve }) => [resolve, storeInquiry(body)] as const);
    database.exec('commit');
    group = [];
    for (const [resolve, id] of stored) resolve(id);
  };
  server.post<{ Body: Inquiry }>(...INQUIRIES, async ({ body, headers }, reply) => {
    if (!findToken.get(toTokenId(headers.authorization))) throw new Error('no such token');
    const id = await new Promise<string>((resolve) => {
      if (group.push({ body, resolve }) === 1) setImmediate(commitGroup);
    });
    reply.code(201);
    return { id, lookup_hash: body.sealed.lookup_hash, state: 'received' };
  });
}

function prepareInquiry(database: DatabaseSync): (inquiry: Inquiry) => string {
  const prepareInsert = (table: string, columns: string) =>
    database.prepare(`insert into ${table} (${columns}) values (${columns.replaceAll(/\w+/g, '?')})`);
  const findLookup = database.prepare(
    'select exists (select 1 from cases where lookup_hash = ?1) or exists (select 1 from tombstones where lookup_hash = ?1) as known',
  );
  const findSet = database.prepare('select * from recipient_set');
  const redeemOrder = database.prepare(
    `update orders set redeemed = 1, created_at = created_at - created_at % 86400000,
       expires_at = created_at - created_at % 86400000, return_link_at = null, return_link_hash = null, form_shown = 0
     where payment = 'paid' and redeemed = 0 and on_hold = 0 and id = ? returning tier, owner`,
  );
  const findWebhook = database.prepare('select * from webhooks where client_tag = ?');
  const insertKey = prepareInsert('case_keys', 'number, case_id, ciphertext');
  const insertCase = prepareInsert(
    'cases',
    `id, lookup_hash, owner, words_tag, tier, state, call, sealed_by, sealed_to, terms_version, submitted_at, due_at,
     changed_at, finding_seq, keep_days, purging`,
  );
  const insertObject = prepareInsert('objects', 'number, id, case_id, kind, seq, size, kept_at, bytes');
  return ({ order_id: orderId, terms_version: terms, sealed }) => {
    const [id, objectId] = [randomUUID(), randomUUID()];
    const now = Date.now();
    const { lookup_hash: lookup, sealing_set: set } = sealed;
    const order = redeemOrder.get(orderId) as { readonly tier: string; readonly owner: string } | undefined;
    const isKnown = findLookup.get(lookup)?.['known'] === 1;
    if (isKnown || !order || findSet.get()?.['tag'] !== set) throw new Error('refused');
    const { tier, owner } = order;
    const envelope = Buffer.from(sealed.envelope, 'base64url');
    insertKey.run(toRowNumber(id), id, Buffer.from(sealed.case_key, 'base64url'));
    const places = [id, lookup, owner, hash('sha256', lookup, 'base64url'), tier] as const;
    insertCase.run(...places, 'received', 'none', 'agent', set, terms, now, now, now, 0, 30, 0);
    findWebhook.get(owner);
    insertObject.run(toRowNumber(objectId), objectId, id, 'inquiry.v1', 0, envelope.length, now, envelope);
    return id;
  };
}

function toTokenId(authorization = ''): string {
  return hash('sha256', authorization.slice('Bearer '.length), 'base64url');
}

/** Performs the same look-ups with prepared statements of node:sqlite. */
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
    const token = findToken.get(toTokenId(headers.authorization)) as Row | undefined;
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

/** Issues tokens with the same OAuth engine, whose records are in memory. */
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
