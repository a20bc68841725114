/** The messages of a case, sealed both ways. */
import { type Static, Type } from 'typebox';
import { demandOwnCase, viewerOf } from '#cases/access.ts';
import type { Read, Written } from '#cases/message-list.ts';
import { callerOf } from '#oauth/guard.ts';
import type { App } from '#platform/http/app.ts';
import { IdempotencyHeader, idempotencyKey } from '#platform/http/idempotency-key.ts';
import { described } from '#platform/http/operation.ts';
import { Base64url, base64url, closed } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { repeatOf } from '#store/idempotent-request.ts';
import { CaseParams, CaseSummary, summaryOf, timeOf } from './case-view.ts';
import { badPlace, linkNext, Next, pageQuery } from './list-pages.ts';

const sizes = { usual: 20, most: 50 } as const;
const MESSAGES_PER_MINUTE = 60;
/** The longest message in the widest letters, padded, as base64url. */
const MESSAGE_BYTES = 128 * 1024;

const Message = Type.Object(
  {
    by: Type.Enum(['buyer', 'desk'], { type: 'string' }),
    seq: Type.Integer({ description: 'Its place among the messages of its side.' }),
    sent_at: Type.String({ format: 'date-time' }),
    sealed: Base64url,
  },
  closed,
);
const Messages = Type.Object(
  {
    messages: Type.Array(Message),
    cursor: Type.String({
      description: 'Where this page ends: the `after` that reads on, now or once something new has come.',
    }),
    next: Next,
  },
  closed,
);
const NewMessage = Type.Object(
  {
    seq: Type.Integer({
      minimum: 0,
      maximum: 199,
      description:
        'How many messages the buyer’s side has so far, see `getCase`; sealed into the header too.',
    }),
    sealed: Base64url,
    books_call: Type.Optional(
      Type.Boolean({ description: 'The message holds times for the call that was offered.' }),
    ),
  },
  { ...closed, examples: [{ seq: 0, sealed: 'YWdlLWVuY3J5cHRpb24' }] },
);

export function addMessages(app: App, services: Pick<Services, 'clock' | 'keyring' | 'store'>): void {
  addList(app, services);
  app.post(
    '/cases/:case/messages',
    {
      config: {
        access: 'case:write',
        rateLimit: { max: MESSAGES_PER_MINUTE },
        problems: ['case_unknown', 'case_state', 'case_changed', 'not_sealed', 'idempotency_key_reused'],
      },
      bodyLimit: MESSAGE_BYTES,
      schema: {
        ...described({
          operationId: 'createMessage',
          tag: 'cases',
          summary: 'Writes to the desk, or answers its question',
          description:
            'Sealed messages only: an envelope `buyer-message.v1` for the case. The same message at the same `seq` is kept once, another one there is refused. Answers with the case as it stands then.',
        }),
        headers: IdempotencyHeader,
        params: CaseParams,
        body: NewMessage,
        response: { 201: CaseSummary },
      },
    },
    async (request, reply) => {
      const { addMessage } = await import('#cases/messages.ts');
      const { body, params } = request;
      const key = idempotencyKey(request);
      const viewer = await viewerOf(services, callerOf(request));
      const { id } = await demandOwnCase(services.store.records, params.case, viewer);
      const scope = `message to ${id} of ${viewer.owner}`;
      const written = await addMessage(services, id, {
        by: 'buyer',
        seq: body.seq,
        sealed: Buffer.from(body.sealed, 'base64url'),
        ...(body.books_call ? { callAct: 'book' } : {}),
        ...(key === null ? {} : { repeat: repeatOf(services.keyring, { scope, key, body }) }),
      });
      reply.code(201);
      return summaryOf(written);
    },
  );
}

function addList(app: App, services: Pick<Services, 'keyring' | 'store'>): void {
  app.get(
    '/cases/:case/messages',
    {
      config: { access: 'case:read', problems: ['case_unknown'] },
      schema: {
        ...described({
          operationId: 'listMessages',
          tag: 'cases',
          summary: 'The messages of both sides, oldest first',
          description:
            'Each is an envelope, `buyer-message.v1` or `desk-message.v1`, that the key of the case opens.',
        }),
        params: CaseParams,
        querystring: pageQuery(sizes),
        response: { 200: Messages },
      },
    },
    async (request, reply) => {
      // Loaded at first use: docs/decisions/0010.
      const [{ bytesOf, readCaseFile }, { nextMessages }] = await Promise.all([
        import('#cases/sealed-case.ts'),
        import('#cases/message-list.ts'),
      ]);
      const { limit = String(sizes.usual), after = '0.0' } = request.query;
      const from = readUpTo(after);
      const viewer = await viewerOf(services, callerOf(request));
      const found = await demandOwnCase(services.store.records, request.params.case, viewer);
      const file = await readCaseFile(services, found);
      const page = nextMessages(file.objects, from, Number(limit));
      const cursor = `${page.read.buyer}.${page.read.desk}`;
      linkNext(request, reply, page.more ? cursor : undefined);
      const messages = await Promise.all(
        page.messages.map(async (written) => shown(written, await bytesOf(file, written.object))),
      );
      return { messages, cursor, ...(page.more ? { next: cursor } : {}) };
    },
  );
}

function shown({ by, object: { seq, keptAt } }: Written, sealed: Uint8Array): Static<typeof Message> {
  return { by, seq, sent_at: timeOf(keptAt), sealed: base64url(sealed) };
}

function readUpTo(cursor: string): Read {
  const [, buyer, desk] = /^(\d{1,3})\.(\d{1,3})$/.exec(cursor) ?? [];
  if (buyer === undefined || desk === undefined) throw badPlace();
  return { buyer: Number(buyer), desk: Number(desk) };
}
