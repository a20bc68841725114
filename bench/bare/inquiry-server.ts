/** The baseline of the inquiry bench: a bare route that takes the same body and stores nothing. */
import { randomUUID } from 'node:crypto';
import { startBareServer } from './bare-server.ts';

interface InquiryBody {
  readonly sealed: { readonly lookup_hash: string };
}

await startBareServer((app) => {
  app.post<{ Body: InquiryBody }>('/api/inquiries', { bodyLimit: 128 * 1024 }, async (request, reply) => {
    reply.code(201);
    return { id: randomUUID(), lookup_hash: request.body.sealed.lookup_hash, state: 'received' };
  });
});
