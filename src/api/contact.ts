/** Receives contact messages: sealed by the caller, or in plain text and sealed on arrival. */
import { type Static, Type } from 'typebox';
import { computeCaseOwnerTag } from '#cases/access.ts';
import { CONTACT_DAYS, CONTACT_DONE_DAYS } from '#cases/ending/retention.ts';
import { receiveContactMessage, receiveSealedContactMessage } from '#cases/intake/contact.ts';
import { createFieldProblem } from '#cases/intake/field-problems.ts';
import { requireCaller } from '#oauth/guard.ts';
import type { App } from '#platform/http/app-type.ts';
import { IdempotencyHeaderSchema, readIdempotencyKey } from '#platform/http/idempotency-key.ts';
import { Base64urlSchema, describeObject, HashText } from '#platform/http/shapes.ts';
import { CONTACT_LENGTHS, CONTACT_TOPICS, validateContactMessage } from '#seal/case/contact-message.ts';
import type { Services } from '#services.ts';
import { toIdempotentRequest } from '#store/idempotent-request.ts';
import type { RecordOwner } from '#store/owner.ts';
import { SEALED_CONTACT_BYTES } from '#wire/contact-requests.ts';
import { requireEitherOr } from './inquiry-body.ts';

export const PlainContact = describeObject(
  {
    topic: Type.Enum([...CONTACT_TOPICS], { type: 'string', description: 'What it is about.' }),
    message: Type.String({
      minLength: CONTACT_LENGTHS.message.min,
      maxLength: CONTACT_LENGTHS.message.max,
      description: 'What the desk reads.',
    }),
    reply_to: Type.Optional(
      Type.String({
        maxLength: CONTACT_LENGTHS.replyTo.max,
        description: 'Where to send an answer. Without it, no answer is possible.',
      }),
    ),
  },
  { description: 'Sealed on arrival.' },
);
const Contact = describeObject(
  {
    sealed: Type.Optional(
      Type.String({
        ...Base64urlSchema,
        description: 'An age file `contact.v1` sealed to all desk keys, as base64url.',
      }),
    ),
    sealing_set: Type.Optional(
      Type.String({
        ...HashText,
        description: '`set` of the sealing keys, with `sealed`; required once the keys have changed.',
      }),
    ),
    plain: Type.Optional(PlainContact),
  },
  {
    title: 'ContactMessage',
    examples: [{ plain: { topic: 'question', message: 'Do you work in Portugal?' } }],
  },
);
export const ContactReceipt = describeObject(
  { status: Type.Literal('received', { description: 'It is stored for the desk.' }) },
  { title: 'ContactReceipt' },
);

type ContactServices = Pick<
  Services,
  'addresses' | 'clock' | 'keyring' | 'store' | 'sealing' | 'sealingKeys'
>;

export function addContactMessageRoutes(app: App, services: ContactServices): void {
  app.post(
    '/contact',
    {
      config: {
        access: 'contact:write',
        budget: 'contact',
        problems: [
          'not_sealed',
          'sealing_keys_changed',
          'sealing_keys_changing',
          'idempotency_key_reused',
          'contact_full',
          'sealing_unavailable',
        ],
      },
      bodyLimit: SEALED_CONTACT_BYTES,
      schema: {
        operationId: 'createContactMessage',
        tags: ['contact'],
        summary: 'Sends a message to the desk',
        description: `Give either \`sealed\` or \`plain\`. A plain message is sealed on arrival, before anything is stored. It is purged at most ${CONTACT_DONE_DAYS} days after the desk has handled it, and after ${CONTACT_DAYS} days at the latest.`,
        headers: IdempotencyHeaderSchema,
        body: Contact,
        response: { 202: ContactReceipt },
      },
    },
    async (request, reply) => {
      requireEitherOr(request.body, [['sealed', 'plain']]);
      const key = readIdempotencyKey(request);
      const receipt = await sendCallerMessage(services, requireCaller(request), request.body, key);
      reply.code(202);
      return receipt;
    },
  );
}

export async function sendCallerMessage(
  services: ContactServices,
  caller: RecordOwner,
  body: Static<typeof Contact>,
  key: string | null,
): Promise<Static<typeof ContactReceipt>> {
  const repeat = toIdempotentRequest(services.keyring, {
    scope: `contact of ${computeCaseOwnerTag(services.keyring, caller)}`,
    key,
    body,
  });
  if (body.sealed === undefined) {
    const validated = validateContactMessage(body.plain);
    if ('errors' in validated) throw createFieldProblem(validated.errors, '/plain');
    await receiveContactMessage(services, validated.message, repeat);
  } else
    await receiveSealedContactMessage(services, {
      sealed: Buffer.from(body.sealed, 'base64url'),
      recipientSet: body.sealing_set ?? null,
      sealedBy: 'agent',
      repeat,
    });
  return { status: 'received' };
}
