/** The webhook to which a client's events are sent, for clients that act for themselves rather than for a person. */
import { type Static, Type } from 'typebox';
import {
  enqueueTestEvent,
  removeWebhook,
  requireWebhook,
  setWebhook,
  type WebhookView,
} from '#clients/webhook.ts';
import { ANSWER_SECONDS, formatEventId, REPLAY_MINUTES } from '#clients/webhook-delivery.ts';
import { requireCaller } from '#oauth/guard.ts';
import type { App } from '#platform/http/app-type.ts';
import { describeAnswer, UNEXPECTED_BODY_PROBLEMS } from '#platform/http/operation.ts';
import { describeObject } from '#platform/http/shapes.ts';
import { MAX_CALLBACK_URL } from '#platform/net/webhook-target.ts';
import { cutIsoDay, toIsoTime } from '#platform/text/iso-time.ts';
import { EVENT_DAYS, formatEventNames, WEBHOOK_EVENTS } from '#platform/webhook-event-types.ts';
import type { Services } from '#services.ts';
import { MAX_WAITING_EVENTS } from '#store/clients/webhook-ciphertexts.ts';

const webhookFields = {
  url: Type.String({ format: 'uri', description: 'Where events are sent.' }),
  created_on: Type.String({ format: 'date', description: 'When it was set first.' }),
  last_delivery: Type.Optional(
    describeObject(
      {
        state: Type.Enum(['delivered', 'failed'], { type: 'string', description: 'Whether it worked.' }),
        on: Type.String({ format: 'date', description: 'The day (UTC).' }),
        detail: Type.Optional(Type.String({ description: 'Why it failed.' })),
      },
      { description: 'The last delivery that was tried.' },
    ),
  ),
};
const newExample = { url: 'https://agent.example/events', created_on: '2026-11-15' };
const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const example = { ...newExample, last_delivery: { state: 'delivered', on: '2026-11-16' } };
const WebhookAnswer = describeObject(webhookFields, { title: 'Callback', examples: [example] });
const NewWebhook = describeObject(
  {
    ...webhookFields,
    secret: Type.Optional(
      Type.String({ description: 'Checks the signature of events. It is never shown again.' }),
    ),
  },
  { title: 'SetCallback', examples: [example] },
);
const Choice = describeObject(
  {
    url: Type.String({
      minLength: 1,
      maxLength: MAX_CALLBACK_URL,
      description:
        'An https address on the public internet, port 443 or 1024 and higher, without a user name and a fragment.',
    }),
    rotate_secret: Type.Optional(
      Type.Boolean({ description: 'Asks for a new secret, which the answer has; the previous one ends.' }),
    ),
  },
  { title: 'CallbackChoice', examples: [{ url: 'https://agent.example/events' }] },
);
const TestEvent = describeObject(
  {
    id: Type.String({
      description: 'The `webhook-id` of the event.',
      examples: ['evt_q1Zl7yBq3mJx0c2y8l4QxA'],
    }),
  },
  { title: 'TestEvent' },
);

type WebhookServices = Pick<Services, 'webhookNetwork' | 'clock' | 'keyring' | 'log' | 'store'>;

export function addWebhookRoutes(app: App, services: WebhookServices): void {
  app.get(
    '/callback',
    {
      config: { access: 'case:read', clientOnly: true, problems: ['not_found'] },
      schema: {
        operationId: 'getCallback',
        tags: ['callback'],
        summary: 'Gets the webhook of the client, and whether the last delivery worked',
        description: 'For tokens of `client_credentials` alone. The secret is not shown.',
        response: { 200: WebhookAnswer },
      },
    },
    async (request) => toWebhookAnswer(await requireWebhook(services, requireCaller(request).clientId)),
  );
  app.delete(
    '/callback',
    {
      config: { access: 'case:write', clientOnly: true, problems: UNEXPECTED_BODY_PROBLEMS },
      schema: {
        operationId: 'deleteCallback',
        tags: ['callback'],
        summary: 'Removes the webhook of the client',
        description:
          'For tokens of `client_credentials` alone. What waits is deleted, and only what is on its way at that moment may still arrive; cases and orders no longer know the client. The contact of the registration is told by e-mail. To remove it twice is no error.',
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await removeWebhook(services, requireCaller(request).clientId);
      return reply.code(204).send(null);
    },
  );
}

export function addWebhookSetRoute(app: App, services: WebhookServices): void {
  app.put(
    '/callback',
    {
      config: { access: 'case:write', clientOnly: true, budget: 'webhookChanges' },
      schema: {
        operationId: 'setCallback',
        tags: ['callback'],
        summary: 'Sets or changes where the client is told of events',
        description: `For tokens of \`client_credentials\` alone, and for what the client made with such tokens. Events are ${formatEventNames()}, each with the id of its order or case and nothing else: \`{"type", "timestamp", "data": {"id"}}\`. They are signed after Standard Webhooks; refuse what is more than ${REPLAY_MINUTES} minutes old, and what has a \`webhook-id\` that you have seen. An event waits for the turn of its kind, usually less than five minutes. Answer with 2xx within ${ANSWER_SECONDS} seconds; anything else, redirects too, is tried again for less than ${EVENT_DAYS} days, and 410 removes the webhook. Up to ${MAX_WAITING_EVENTS} events of orders and as many of cases wait. The first answer has \`secret\`; another \`url\` keeps it, unless \`rotate_secret\` is true. The contact of the registration is told of each change by e-mail.`,
        body: Choice,
        response: {
          200: NewWebhook,
          201: describeAnswer(NewWebhook, { example: { ...newExample, secret: exampleSecret } }),
        },
      },
    },
    async (request, reply) => {
      const { clientId } = requireCaller(request);
      const { url, rotate_secret: rotateSecret = false } = request.body;
      const stored = await setWebhook(services, clientId, { url, rotateSecret });
      reply.code(stored.isNew ? 201 : 200);
      return { ...toWebhookAnswer(stored), ...(stored.secret === null ? {} : { secret: stored.secret }) };
    },
  );
}

export function addWebhookTestRoute(app: App, services: WebhookServices): void {
  app.post(
    '/callback/test',
    {
      config: {
        access: 'case:read',
        clientOnly: true,
        budget: 'webhookTests',
        problems: ['not_found', ...UNEXPECTED_BODY_PROBLEMS],
      },
      schema: {
        operationId: 'testCallback',
        tags: ['callback'],
        summary: 'Sends a test event to the webhook',
        description: `For tokens of \`client_credentials\` alone. Sends \`${WEBHOOK_EVENTS.test[0]}\` with a random id, at once; it takes the place of a test that still waits. \`getCallback\` tells whether it arrived.`,
        response: { 202: TestEvent },
      },
    },
    async (request, reply) => {
      const id = await enqueueTestEvent(services, requireCaller(request).clientId);
      reply.code(202);
      return { id: formatEventId(id) };
    },
  );
}

function toWebhookAnswer({ url, row }: WebhookView): Static<typeof WebhookAnswer> {
  const { created_on: createdOn, last_on: lastOn, last_fault: fault } = row;
  return {
    url,
    created_on: cutIsoDay(toIsoTime(createdOn)),
    ...(lastOn !== null && {
      last_delivery: {
        state: fault === null ? 'delivered' : 'failed',
        on: cutIsoDay(toIsoTime(lastOn)),
        ...(fault !== null && { detail: fault }),
      },
    }),
  };
}
