/** The messages of a case, sealed in both directions. */
import { Type } from 'typebox';
import { computeCaseOwnerTag, deriveCaseViewer, requireOwnCase } from '#cases/access.ts';
import { addCaseMessage, listUnreadMessages } from '#cases/messages/messages.ts';
import { readContentsForBuyer, readEnvelopes } from '#cases/sealing/sealed-case.ts';
import { requireCaller } from '#oauth/guard.ts';
import type { App } from '#platform/http/app-type.ts';
import { IdempotencyHeaderSchema, readIdempotencyKey } from '#platform/http/idempotency-key.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { describeAnswer } from '#platform/http/operation.ts';
import { Base64urlSchema, describeObject, TimeSchema } from '#platform/http/shapes.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { MAX_MESSAGES } from '#seal/case/message.ts';
import type { Services } from '#services.ts';
import { toIdempotentRequest } from '#store/idempotent-request.ts';
import { CaseParams, CaseSummary, caseExample, toCaseSummary } from './case-view.ts';
import {
  createPageQuerySchema,
  FIRST_MESSAGE_CURSOR,
  formatMessageCursor,
  NextCursor,
  PAGE_HEADERS,
  parseMessageCursor,
  setNextPageLink,
} from './list-pages.ts';

const pageSizes = { default: 20, max: 50 } as const;
/** Fits the longest message in 4-byte characters, padded, as base64url. */
const MESSAGE_BYTES = 128 * 1024;

/** What a message tells about itself, sealed or not. */
export const messageHead = {
  by: Type.Enum(['buyer', 'desk'], { type: 'string', description: 'Who wrote it.' }),
  seq: Type.Integer({ description: 'Its position among the messages of its side, from 0.' }),
  sent_at: Type.String({ ...TimeSchema, description: 'When it came.' }),
};

const Message = describeObject({ ...messageHead, sealed: Base64urlSchema }, { title: 'Message' });
const Messages = describeObject(
  {
    messages: Type.Array(Message, { maxItems: pageSizes.max, description: 'Oldest first.' }),
    cursor: Type.String({
      description: 'Where this page ends. Use it as `after` to read on, now or once there are new messages.',
    }),
    next: NextCursor,
  },
  {
    title: 'MessageList',
    examples: [
      {
        messages: [
          { by: 'desk', seq: 0, sent_at: '2026-11-15T12:00:00.000Z', sealed: 'YWdlLWVuY3J5cHRpb24' },
        ],
        cursor: '0.1',
      },
    ],
  },
);
const NewMessage = describeObject(
  {
    seq: Type.Integer({
      minimum: 0,
      maximum: MAX_MESSAGES - 1,
      description:
        'The number of messages from the buyer so far, see `getCase`. The sealed header must have the same number.',
    }),
    sealed: Base64urlSchema,
    books_call: Type.Optional(
      Type.Boolean({
        description:
          'The message contains times for the call that `Dossier` includes, the first ones or others: its state becomes `proposed`.',
      }),
    ),
  },
  { title: 'NewMessage', examples: [{ seq: 0, sealed: 'YWdlLWVuY3J5cHRpb24' }] },
);

type MessageServices = Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>;

export function addNewMessageRoute(app: App, services: MessageServices): void {
  app.post(
    '/cases/:case/messages',
    {
      config: {
        access: 'case:write',
        budget: 'messages',
        problems: ['case_unknown', 'case_state', 'case_changed', 'not_sealed', 'idempotency_key_reused'],
      },
      bodyLimit: MESSAGE_BYTES,
      schema: {
        operationId: 'createMessage',
        tags: ['cases'],
        summary: 'Sends a message to the desk, or answers its question',
        description:
          'The message must be sealed, as an envelope `buyer-message.v1` for the case. In it, `seen` and `thread` link the message to those before it, so that none can be removed unnoticed. The same message with the same `seq` is stored once; a different one is refused. The response is the case after the message.',
        headers: IdempotencyHeaderSchema,
        params: CaseParams,
        body: NewMessage,
        response: { 201: describeAnswer(CaseSummary, { example: { ...caseExample, state: 'in_progress' } }) },
      },
    },
    async (request, reply) => {
      const { body, params } = request;
      const key = readIdempotencyKey(request);
      const caller = requireCaller(request);
      const viewer = await deriveCaseViewer(services, caller);
      const message = {
        by: 'buyer',
        seq: body.seq,
        sealed: Buffer.from(body.sealed, 'base64url'),
        ...(body.books_call ? ({ callAct: 'propose' } as const) : {}),
        repeat: toIdempotentRequest(services.keyring, {
          scope: `message to ${params.case} of ${computeCaseOwnerTag(services.keyring, caller)}`,
          key,
          body,
        }),
      } as const;
      const updated = await addCaseMessage(services, params.case, message, viewer);
      reply.code(201);
      return toCaseSummary(updated, services.clock.now());
    },
  );
}

export function addMessageListRoute(app: App, services: MessageServices): void {
  app.get(
    '/cases/:case/messages',
    {
      config: { access: 'case:read', problems: ['case_unknown'] },
      schema: {
        operationId: 'listMessages',
        tags: ['cases'],
        summary: 'Lists the messages of both sides, oldest first',
        description:
          'Each message is an envelope, `buyer-message.v1` or `desk-message.v1`, which the key of the case opens. Long ones end a page early.',
        params: CaseParams,
        querystring: createPageQuerySchema(pageSizes),
        response: { 200: describeAnswer(Messages, { headers: PAGE_HEADERS }) },
      },
    },
    async (request, reply) => {
      const { limit = pageSizes.default, after = FIRST_MESSAGE_CURSOR } = request.query;
      const readCounts = parseMessageCursor(after);
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const now = services.clock.now();
      const record = await requireOwnCase(services.store.records, request.params.case, viewer, now);
      const { objects } = await readContentsForBuyer(services, record, now);
      const page = listUnreadMessages(objects, readCounts, {
        limit: Number(limit),
        maxBytes: httpLimits.answeredBytes,
      });
      const cursor = formatMessageCursor(page.read);
      setNextPageLink(request, reply, services.addresses, page.more ? cursor : undefined);
      const envelopes = await readEnvelopes(
        services,
        page.messages.map(({ object }) => object),
      );
      const messages = page.messages.map(({ by, object: { seq, keptAt } }, index) => ({
        by,
        seq,
        sent_at: toIsoTime(keptAt),
        sealed: toBase64url(envelopes[index]!),
      }));
      return { messages, cursor, ...(page.more ? { next: cursor } : {}) };
    },
  );
}
