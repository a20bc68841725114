/** The events that are sent to a client, as the webhooks of the OpenAPI document. */
import { ANSWER_SECONDS, REPLAY_MINUTES } from '#clients/webhook-delivery.ts';
import { EVENT_DAYS, WEBHOOK_EVENTS, type WebhookEventType } from '#platform/webhook-event-types.ts';

const meanings: Readonly<Record<WebhookEventType, string>> = {
  'order.paid': 'An order is paid, so that it can open a case',
  'case.question': 'The desk has asked a question',
  'case.message': 'The desk has written a message that asks nothing',
  'case.delivered': 'The finding is delivered',
  'case.declined': 'The desk has declined the case',
  'case.purge_soon': 'A case is purged soon',
  'case.purged': 'A case was purged; nothing of it is left',
  'callback.test': 'The client has asked for a test',
};

const subjects = {
  order: 'The id of the order, for `getOrder`.',
  case: 'The id of the case, for `getCase`.',
  test: 'Random, of nothing.',
} as const;

const parameters = [
  createHeader(
    'webhook-id',
    'The id of the event, the same in every attempt: what you have seen before is a repetition.',
  ),
  createHeader(
    'webhook-timestamp',
    `The time of the attempt in seconds since 1970; refuse what is more than ${REPLAY_MINUTES} minutes away.`,
  ),
  createHeader(
    'webhook-signature',
    'One or more signatures, separated by spaces: `v1,` and the base64 of an HMAC-SHA-256 of `id.timestamp.body` under the secret.',
  ),
];

function createHeader(name: string, description: string) {
  return { name, in: 'header' as const, required: true, description, schema: { type: 'string' } };
}

export function buildWebhooks() {
  return Object.fromEntries(
    (['order', 'case', 'test'] as const).flatMap((kind) =>
      WEBHOOK_EVENTS[kind].map((type) => [type, { post: describeEvent(type, subjects[kind]) }]),
    ),
  );
}

function describeEvent(type: WebhookEventType, subject: string) {
  const schema = {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', const: type, description: 'What happened.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: {
        type: 'object',
        description: 'What it is about.',
        required: ['id'],
        properties: { id: { type: 'string', description: subject } },
      },
    },
  };
  const example = { type, timestamp: '2026-11-15T09:00:00.000Z', data: { id: 'q1Zl7yBq3mJx0c2y8l4QxA' } };
  return {
    operationId: type.replaceAll(/[^a-z](\w)/g, (_all, letter: string) => letter.toUpperCase()),
    summary: meanings[type],
    tags: ['callback'],
    parameters: [...parameters],
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      '2XX': { description: `Received, which must be said within ${ANSWER_SECONDS} seconds.` },
      '410': { description: 'Removes the webhook.' },
      default: {
        description: `Anything else is a failure: it is sent again for less than ${EVENT_DAYS} days.`,
      },
    },
    security: [],
  };
}
