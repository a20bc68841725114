/** Schemas for a registration: the request, and the responses while it is pending and once it is decided. */
import { type Static, Type } from 'typebox';
import { CLIENT_NAME_LENGTH, CLIENT_NAME_PATTERN } from '#clients/clients.ts';
import { MAX_REDIRECT_URIS } from '#clients/redirect-uris.ts';
import { grantTypes } from '#platform/grant-types.ts';
import { describeObject } from '#platform/http/shapes.ts';
import { SCOPES } from '#platform/scopes.ts';
import { CREDENTIAL_TYPES, IDENTITY_TYPES } from '#store/schema/column-values.ts';

const CredentialType = Type.Enum([...CREDENTIAL_TYPES], { type: 'string' });

export const RegistrationBody = describeObject(
  {
    client_name: Type.String({
      minLength: 1,
      maxLength: CLIENT_NAME_LENGTH,
      pattern: CLIENT_NAME_PATTERN,
      description: 'For people to read: no control or formatting characters, no `<` and no `>`.',
    }),
    contact: Type.String({
      maxLength: 254,
      description:
        'An e-mail address. It is used for the decision about this registration, and to tell that the webhook of the program was changed.',
    }),
    supported_identity_types: Type.Enum([...IDENTITY_TYPES], { type: 'string' }),
    credential_types: Type.Union(
      [CredentialType, Type.Array(CredentialType, { minItems: 1, maxItems: 2, uniqueItems: true })],
      { description: 'With only `dpop`, every token is bound to a key.' },
    ),
    redirect_uris: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_REDIRECT_URIS,
        uniqueItems: true,
        description:
          'For the authorization_code grant, which needs one: https, http on a loopback address, or a scheme that is a reversed domain name (`com.example.app:/callback`), without a fragment.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.Enum([...SCOPES], { type: 'string' }), { maxItems: SCOPES.length, uniqueItems: true }),
    ),
    grant_types: Type.Optional(
      Type.Array(Type.Enum([...grantTypes], { type: 'string' }), {
        maxItems: grantTypes.length,
        uniqueItems: true,
      }),
    ),
  },
  {
    examples: [
      {
        client_name: 'Example Agent',
        contact: 'agent@example.com',
        supported_identity_types: 'email',
        credential_types: ['bearer', 'dpop'],
        redirect_uris: ['https://agent.example/callback'],
      },
    ],
  },
);

export const PendingRegistration = describeObject({
  registration_id: Type.String(),
  status: Type.Literal('pending'),
  status_uri: Type.String({ format: 'uri' }),
  registration_token: Type.Optional(
    Type.String({
      description:
        'Send it as a Bearer token to `status_uri`. It is shown once: a response to a repeated Idempotency-Key does not contain it.',
    }),
  ),
});

export const RegistrationStatus = describeObject({
  registration_id: Type.String(),
  status: Type.Enum(['pending', 'approved', 'rejected'], { type: 'string' }),
  client_id: Type.Optional(
    Type.String({ description: 'Present, like all fields below, only if `status` is `approved`.' }),
  ),
  client_secret: Type.Optional(Type.String({ description: 'Shown once, in this response only.' })),
  scopes: Type.Optional(Type.Array(Type.String(), { maxItems: SCOPES.length })),
  grant_types: Type.Optional(Type.Array(Type.String(), { maxItems: grantTypes.length })),
  token_endpoint: Type.Optional(Type.String({ format: 'uri' })),
});

export type RegistrationBody = Static<typeof RegistrationBody>;
