/** Where a program registers and polls its registration (specification 2.5 and 5.2), and where a person gets its secret. */
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { CLIENT_NAME_LENGTH, CLIENT_NAME_PATTERN, findGrantMisfit } from '#clients/clients.ts';
import { findRedirectUriFault, MAX_REDIRECT_URIS } from '#clients/redirect-uris.ts';
import {
  collectOfferedCredentials,
  createRegistration,
  type NewRegistration,
  type ProvisionedClient,
  pollRegistration,
  requireOfferedClientName,
} from '#clients/registration.ts';
import { readPresentedToken } from '#oauth/credential.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { type ProblemFieldError, ServiceError } from '#platform/errors.ts';
import { grantTypes } from '#platform/grant-types.ts';
import type { App } from '#platform/http/app-type.ts';
import { addFormPostParser, addUrlEncodedParser } from '#platform/http/form-post.ts';
import {
  AnonymousIdempotencyHeaderSchema,
  readAnonymousIdempotencyKey,
} from '#platform/http/idempotency-key.ts';
import { describeObject } from '#platform/http/shapes.ts';
import { normalizeEmailAddress } from '#platform/mail/email-address.ts';
import { SCOPES } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { toIdempotentRequest } from '#store/idempotent-request.ts';
import { CREDENTIAL_TYPES, IDENTITY_TYPES } from '#store/schema/column-values.ts';
import { html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';

const CredentialType = Type.Enum([...CREDENTIAL_TYPES], { type: 'string' });

/** `auth.md` says what the fields mean. */
const RegistrationBody = describeObject({
  client_name: Type.String({
    minLength: 1,
    maxLength: CLIENT_NAME_LENGTH,
    pattern: CLIENT_NAME_PATTERN,
    description: 'For people to read: no control or formatting characters, no `<` and no `>`.',
  }),
  contact: Type.String({ maxLength: 254 }),
  supported_identity_types: Type.Enum([...IDENTITY_TYPES], { type: 'string' }),
  credential_types: Type.Union([
    CredentialType,
    Type.Array(CredentialType, { minItems: 1, maxItems: 2, uniqueItems: true }),
  ]),
  redirect_uris: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_REDIRECT_URIS, uniqueItems: true })),
  scopes: Type.Optional(
    Type.Array(Type.Enum([...SCOPES], { type: 'string' }), { maxItems: SCOPES.length, uniqueItems: true }),
  ),
  grant_types: Type.Optional(
    Type.Array(Type.Enum([...grantTypes], { type: 'string' }), {
      maxItems: grantTypes.length,
      uniqueItems: true,
    }),
  ),
});

const PendingRegistration = describeObject({
  registration_id: Type.String(),
  status: Type.Literal('pending'),
  status_uri: Type.String(),
  /** Shown once: a response to a repeated Idempotency-Key does not contain it. */
  registration_token: Type.Optional(Type.String()),
});

/** All but the first two are present only once the registration is approved. */
const RegistrationStatus = describeObject({
  registration_id: Type.String(),
  status: Type.Enum(['pending', 'approved', 'rejected'], { type: 'string' }),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
  scopes: Type.Optional(Type.Array(Type.String(), { maxItems: SCOPES.length })),
  grant_types: Type.Optional(Type.Array(Type.String(), { maxItems: grantTypes.length })),
  token_endpoint: Type.Optional(Type.String()),
});

type RegistrationBody = Static<typeof RegistrationBody>;

const LIST_FIELDS = ['credential_types', 'redirect_uris', 'scopes', 'grant_types'];

/** How long a program should wait between polls. */
export const REGISTRATION_POLL_SECONDS = 60;

type RegistrationServices = Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>;

/** Needs its own Fastify scope, because these routes accept forms as well as JSON. */
export function addRegistrationRoutes(app: App, services: RegistrationServices): void {
  addUrlEncodedParser(app, toRegistrationBody);
  app.post(
    agentPaths.instructions,
    {
      config: {
        access: 'public',
        budget: 'registrations',
        problems: [
          'registrations_full',
          'idempotency_key_weak',
          'idempotency_key_reused',
          'storage_unavailable',
        ],
      },
      schema: {
        headers: AnonymousIdempotencyHeaderSchema,
        body: RegistrationBody,
        response: { 202: PendingRegistration },
      },
    },
    async (request, reply) => {
      const idempotent = toIdempotentRequest(services.keyring, {
        scope: 'registration',
        key: readAnonymousIdempotencyKey(request),
        body: request.body,
      });
      const { id, token } = await createRegistration(
        services,
        requireValidRegistration(request.body),
        idempotent,
      );
      const statusUri = services.addresses.registrationStatus(id);
      return reply
        .code(202)
        .headers({ location: statusUri, 'retry-after': String(REGISTRATION_POLL_SECONDS) })
        .send({
          registration_id: id,
          status: 'pending',
          status_uri: statusUri,
          ...(token === null ? {} : { registration_token: token }),
        });
    },
  );
  addStatusRoute(app, services);
}

function addStatusRoute(app: App, services: RegistrationServices): void {
  app.get(
    `${agentPaths.registrations}/:id`,
    {
      config: {
        access: 'public',
        budget: 'registrationPolls',
        problems: ['unauthorized', 'invalid_token', 'storage_unavailable'],
      },
      // A HEAD request would use up the credentials without returning them.
      exposeHeadRoute: false,
      schema: {
        params: Type.Object({ id: Type.String() }),
        response: { 200: RegistrationStatus },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const outcome = await pollRegistration(services, id, requireRegistrationToken(request)).catch(
        throwWithChallenge,
      );
      if (outcome === 'pending') reply.header('retry-after', String(REGISTRATION_POLL_SECONDS));
      if (typeof outcome === 'string') return { registration_id: id, status: outcome };
      return {
        registration_id: id,
        status: 'approved' as const,
        client_id: outcome.clientId,
        client_secret: outcome.clientSecret,
        scopes: [...outcome.scopes],
        grant_types: [...outcome.grants],
        token_endpoint: services.addresses.oauth.token,
      };
    },
  );
}

/** Checks what the schema cannot express. */
function requireValidRegistration(body: RegistrationBody): NewRegistration {
  const { client_name, contact, supported_identity_types, credential_types, redirect_uris = [] } = body;
  const address = normalizeEmailAddress(contact);
  const errors: ProblemFieldError[] = redirect_uris.flatMap((uri, index) => {
    const fault = findRedirectUriFault(uri);
    return fault ? [{ pointer: `/redirect_uris/${index}`, detail: fault }] : [];
  });
  const grants = body.grant_types ?? [];
  const misfit = findGrantMisfit({ grants, redirectUris: redirect_uris });
  if (misfit) errors.push({ pointer: `/${misfit.field}`, detail: misfit.fault });
  if (client_name.trim() === '') errors.push({ pointer: '/client_name', detail: 'must not be blank' });
  if (address === null) errors.push({ pointer: '/contact', detail: 'must be an e-mail address' });
  if (address === null || errors.length > 0) throw new ServiceError('validation_failed', { errors });
  const credentialTypes = [credential_types].flat();
  return {
    name: client_name.trim(),
    contact: address,
    identityType: supported_identity_types,
    credentials: credentialTypes.length === 2 ? 'bearer dpop' : credentialTypes[0]!,
    redirectUris: redirect_uris,
    wanted: { scopes: body.scopes ?? [], grants },
  };
}

const CHALLENGE = 'Bearer realm="registration"';

function requireRegistrationToken(request: FastifyRequest): string {
  const credential = readPresentedToken(request);
  if (credential?.scheme === 'bearer') return credential.token;
  throw new ServiceError('unauthorized', {
    detail: 'Send the registration token as a Bearer token.',
    headers: { 'www-authenticate': CHALLENGE },
  });
}

/** Sends the same response for an unknown registration, a wrong token and a used one. */
function throwWithChallenge(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_token') throw error;
  throw new ServiceError('invalid_token', {
    detail:
      'The registration token is unknown or expired, or its credentials have already been collected. If they were lost, ask the maintainer for a new secret.',
    headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

/** A repeated name becomes a list; the schema refuses it if the field takes a single value. */
function toRegistrationBody(fields: URLSearchParams): Record<string, string | string[]> {
  const toFieldValue = (name: string) => {
    const values = fields.getAll(name);
    const [first = ''] = values;
    return values.length === 1 && !LIST_FIELDS.includes(name) ? first : values;
  };
  return Object.fromEntries([...new Set(fields.keys())].map((name) => [name, toFieldValue(name)]));
}

const CREDENTIALS_PATH = `${agentPaths.credentials}/:link`;

/**
 * The page behind the one-time link in the approval e-mail: its button creates the credentials and shows them once.
 * Needs its own Fastify scope, because these routes accept only forms.
 */
export function addCredentialsRoutes(app: App, services: RegistrationServices, frame: PageFrame): void {
  addFormPostParser(app, services.addresses);
  const route = {
    config: { access: 'public', produces: HTML_MEDIA_TYPE, budget: 'credentialPages' },
    schema: { params: Type.Object({ link: Type.String() }) },
  } as const;
  // Mail scanners open links, so a GET must neither show nor use up the credentials.
  app.get(CREDENTIALS_PATH, route, async (request, reply) => {
    const { link } = request.params;
    return sendPage(reply, frame, renderOfferPage(await requireOfferedClientName(services, link), link));
  });
  app.post(CREDENTIALS_PATH, route, async (request, reply) => {
    const client = await collectOfferedCredentials(services, request.params.link);
    return sendPage(reply, frame, renderCredentialsPage(client, services.addresses));
  });
}

function renderOfferPage(name: string, link: string): HtmlPage {
  return {
    title: 'Credentials for your program',
    hasLanguageChoice: false,
    main: html`<div class="wrap text">
<h1>Credentials for your program</h1>
<p><b>${name}</b> was approved. The button creates its secret and shows it once. Have a safe place to store it ready first.</p>
<form method="post" action="${agentPaths.credentials}/${link}"><div class="acts"><button class="button" type="submit">Show the credentials</button></div></form>
<p class="small">If the program has fetched its credentials itself in the meantime, this page no longer works.</p>
</div>`,
  };
}

function renderCredentialsPage(
  { name, clientId, clientSecret, scopes, grants }: ProvisionedClient,
  addresses: PublicAddresses,
): HtmlPage {
  const rows = [
    ['client_id', clientId],
    ['client_secret', clientSecret],
    ['scopes', scopes.join(' ')],
    ['grant_types', grants.join(' ')],
    ['token_endpoint', addresses.oauth.token],
  ] as const;
  return {
    title: 'Keep these credentials',
    main: html`<div class="wrap text">
<h1>Keep these credentials</h1>
<p>They are for <b>${name}</b>. We store only a hash of the secret: once this page is closed, it cannot be shown again.</p>
<table><tbody>${rows.map(([label, value]) => html`<tr><th scope="row">${label}</th><td><span class="code">${value}</span></td></tr>`)}</tbody></table>
<p>How to get a token with them: <a href="${agentPaths.instructions}">instructions for agents</a>.</p>
</div>`,
  };
}
