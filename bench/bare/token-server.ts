/** The baseline of the token bench: the same OAuth engine in a bare Fastify server, with its records in memory. */
import Provider from 'oidc-provider';
import { startBareServer } from './bare-server.ts';

const port = Number(process.env['PORT']);
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
await startBareServer((app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.post('/oauth2/token', async (request, reply) => {
    reply.hijack();
    await handleRequest(request.raw, reply.raw);
  });
});
