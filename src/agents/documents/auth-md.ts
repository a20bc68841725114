/** Writes auth.md, which tells agents how to discover the API, register, get a token and use it. */
import { REGISTRATION_POLL_SECONDS } from '#agents/registration.ts';
import { DEFAULT_KEEP_DAYS } from '#cases/retention.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { DELIVERY_HOURS } from '#payments/tiers.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import { clientAuthMethods, grantTypes } from '#platform/grant-types.ts';
import type { App } from '#platform/http/app.ts';
import { httpLimits, rateBudgets } from '#platform/http/limits.ts';
import { SCOPES, scopeDescriptions } from '#platform/scopes.ts';
import { buildAuthorizationServerMetadata } from './authorization-server.ts';
import { buildProtectedResourceMetadata } from './protected-resource.ts';
import { addPublicDocumentRoutes } from './public-document.ts';

interface Site {
  readonly addresses: PublicAddresses;
  readonly siteName: string;
  readonly maintainer: string;
}

/** Returns a function that writes the same text, for whoever else shows it. */
export function addAuthMdRoutes(app: App, site: Site): () => string {
  const createText = () =>
    [
      formatIntroduction(site),
      formatDiscovery(site),
      formatRegistration(site),
      formatTokenRequests(site),
      formatUsage(site),
      formatMcpUsage(site),
      formatClosingSections(site),
    ].join('\n');
  addPublicDocumentRoutes(app, {
    path: agentPaths.instructions,
    type: 'text/markdown; charset=utf-8',
    createText,
  });
  return createText;
}

function formatJsonBlock(document: unknown): string {
  return `\`\`\`json\n${JSON.stringify(document, null, 2)}\n\`\`\``;
}

function formatIntroduction({ addresses, siteName }: Site): string {
  return `# auth.md: how agents use ${siteName}

You are a program that acts for itself or for a person. This page tells you how to get access to the API at
${addresses.api}. The site ${addresses.site} is both the resource server and the authorization server. All of it is
OAuth 2.0 over HTTPS: discover, register once, get a token, use it.

Prices, payment status and buying need no token: see \`${addresses.api}/pricing\`, \`${addresses.api}/stripe/status\`
and ${addresses.docs}. A person pays on the page of the payment provider; programs never handle card data.
`;
}

function formatDiscovery({ addresses, siteName }: Site): string {
  return `## 1. Discover

Protected resource (RFC 9728), \`${addresses.oauth.resourceMetadata}\`; the API has a
document of its own, \`${addresses.resourceMetadataFor(addresses.apiPath)}\`, which a 401 of it names, and so has
${addresses.mcp}. All are names of one resource: a token, and a refresh, for one is good for the others:

${formatJsonBlock(buildProtectedResourceMetadata(addresses.site, addresses, siteName))}

Authorization server (RFC 8414), \`${addresses.oauth.serverMetadata}\`:

${formatJsonBlock(buildAuthorizationServerMetadata(addresses))}

Every operation with its fields, examples and errors: ${addresses.openapi} (OpenAPI 3.1), or as a page:
${addresses.docs}. All of these are listed in ${addresses.catalog}.
`;
}

function formatRegistration({ addresses }: Site): string {
  const days = oauthLifetimes.registration / DAY_SECONDS;
  return `## 2. Register

You register, and a maintainer approves or rejects the registration. Send \`POST ${addresses.registration}\` with JSON, or
with a form in which a list is a repeated name:

${formatJsonBlock({
  client_name: 'Example Agent',
  contact: 'agent@example.com',
  supported_identity_types: 'email',
  credential_types: ['bearer', 'dpop'],
  redirect_uris: ['https://agent.example/callback'],
})}

| field | |
|---|---|
| \`client_name\` | for people to read; required |
| \`contact\` | an e-mail address; required. You are told the decision there |
| \`supported_identity_types\` | one of \`email\`, \`did\`, \`oauth\`; required |
| \`credential_types\` | \`bearer\`, \`dpop\`, or a list of both; required. With only \`dpop\`, every token is bound to a key |
| \`redirect_uris\` | only for the authorization_code grant: https, or http on a loopback address, without a fragment; at most 10 |

The response is 202:

${formatJsonBlock({
  registration_id: '…',
  status: 'pending',
  status_uri: addresses.registrationStatus('…'),
  registration_token: '…',
})}

Keep \`registration_token\`; it is shown once. A person decides, which may take days; store what you have, and you need not
run meanwhile. Poll \`status_uri\` with \`Authorization: Bearer <registration_token>\`, as often as \`Retry-After\` says: every
${REGISTRATION_POLL_SECONDS} seconds at most. The first answer after the decision has it. \`status\` is \`pending\`, \`rejected\` or \`approved\`. The first response
with \`approved\` contains your credentials; no other response does:

${formatJsonBlock({
  registration_id: '…',
  status: 'approved',
  client_id: '…',
  client_secret: '…',
  scopes: ['case:read', 'case:write'],
  grant_types: ['client_credentials'],
  token_endpoint: addresses.oauth.token,
})}

## 3. Claim by e-mail instead

After the approval the contact also gets an e-mail with a link, valid for ${oauthLifetimes.offer / HOUR_SECONDS} hours, to a page that shows the same
credentials once. Using either one ends the other. A registration without a decision is deleted after ${days} days, together
with its token. If you lose the secret, ask the maintainer for a new one.
`;
}

function formatTokenRequests({ addresses }: Site): string {
  return `## 4. Get a token

Send \`POST ${addresses.oauth.token}\` as a form, with your id and secret as ${clientAuthMethods.map((method) => `\`${method}\``).join(' or ')}.
Request only the scopes that you need now.

| scope | allows you to |
|---|---|
${SCOPES.map((scope) => `| \`${scope}\` | ${scopeDescriptions[scope]} |`).join('\n')}

Grants: ${grantTypes.map((grant) => `\`${grant}\``).join(', ')}.

For yourself:

\`\`\`sh
curl -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials -d scope="case:read case:write" ${addresses.oauth.token}
\`\`\`

For a person: send them to \`${addresses.oauth.authorize}\` with \`response_type=code\`, \`client_id\`, \`redirect_uri\`,
\`scope\`, \`state\`, \`code_challenge\` and \`code_challenge_method=S256\` (PKCE is required). They sign in and
give their consent. Check \`state\` and \`iss\` when they come back, then:

\`\`\`sh
curl -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=authorization_code -d code="$CODE" -d code_verifier="$VERIFIER" \\
     --data-urlencode redirect_uri="$REDIRECT_URI" ${addresses.oauth.token}
\`\`\`

An access token is valid for ${oauthLifetimes.accessToken / MINUTE_SECONDS} minutes. With a person's consent you also get a refresh token, valid for ${oauthLifetimes.refreshToken / DAY_SECONDS} days and
for one use; each use returns the next one:

\`\`\`sh
curl -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=refresh_token -d refresh_token="$REFRESH_TOKEN" ${addresses.oauth.token}
\`\`\`

DPoP (RFC 9449): send a \`DPoP\` proof with any of these requests, and the token is bound to your key.
`;
}

function formatUsage({ addresses }: Site): string {
  return `## 5. Use it

Send \`Authorization: Bearer <token>\`, or \`Authorization: DPoP <token>\` with a new proof; never send a token in the URL.

1. \`GET ${addresses.api}/stripe/status\` first, without a token: nothing can be bought unless it says
   \`"configured": true\`. (On public operations a token is optional; if you send one, it must have their scope.)
2. \`POST ${addresses.api}/stripe/checkout\` with \`{"tier": "Trace"}\` and an \`Idempotency-Key\`, a new UUID. Show the
   \`url\` to a person, who pays there. The header \`Location\` is the address of the order; its last part is the order's id.
3. \`GET\` that address, \`${addresses.api}/orders/{order}\`, until \`status\` is \`paid\`. \`held\` means that somebody checks the
   payment, for hours; \`expired\` and \`refunded\` never become \`paid\`.
4. \`POST ${addresses.api}/inquiries\` with its \`order_id\`, as plain text or, better, sealed by you: ${addresses.sealing} has
   all that you need to seal it and to open the answer, with test vectors.
5. Poll \`GET ${addresses.api}/cases/{case}\` and its messages until the case is \`delivered\`, then fetch the finding; \`declined\`
   and \`withdrawn\` are ends without one. It is due ${DELIVERY_HOURS} hours after the inquiry, and everything is purged ${DEFAULT_KEEP_DAYS} days after the delivery unless you ask for longer.

With a token of \`client_credentials\` you may be told instead of asking: \`PUT ${addresses.api}/callback\` with
\`{"url": "https://…"}\` names an address that gets signed events (Standard Webhooks) with the id of an order or a case, for
what you made with such tokens. It needs \`case:write\`; the answer has the secret, once, and the contact is told by e-mail.
`;
}

function formatMcpUsage({ addresses }: Site): string {
  return `### Over MCP

The same, for clients of the Model Context Protocol: ${addresses.mcp} (Streamable HTTP, without sessions), described by
${addresses.serverCard}. Anybody may list its tools and resources. A tool that needs a token answers 401 or 403 with
the scope in \`WWW-Authenticate\`; register as above and give the client its id and secret. It takes and shows plain text,
which the host of a model sees too: to hide a case from both, seal it (${addresses.sealing}).
`;
}

function formatClosingSections({ addresses, maintainer }: Site): string {
  return `## 6. Errors

The OAuth endpoints return errors as in RFC 6749, \`{"error": "…", "error_description": "…"}\`. Everything else returns
problem details (RFC 9457): \`code\` is stable, and \`type\` is the address of a page that says what to do about it.

| status | what to do |
|---|---|
| 401 | read \`WWW-Authenticate\`; get a token, or a new one |
| 402 | the order is not paid |
| 403 | \`insufficient_scope\`: request a token with the scope that is named |
| 404 | does not exist, or is not yours |
| 409, 422 | read \`detail\` and \`errors\`; sending the same request again does not help |
| 429, 503 | wait for the time in \`Retry-After\`, then repeat with the same \`Idempotency-Key\` |

## 7. Limits

At most ${rateBudgets.requests.max} requests a minute to all operations together, refused ones included, counted for the person or client of the token and without a good one for the IP address, and bodies of at most ${httpLimits.jsonBytes / 1_024} KiB, unless
${addresses.openapi} says otherwise.

## 8. Revoke

\`\`\`sh
curl -u "$CLIENT_ID:$CLIENT_SECRET" -d token="$TOKEN" ${addresses.oauth.revoke}
\`\`\`

revokes an access token or a refresh token, and with it the consent behind both. A person can end it too, at
${addresses.site}/permissions. To see whom a token stands for:
\`GET ${addresses.oauth.claims}\`.
(The PocketBase SDK's \`authRefresh()\` works there. Its \`pb.authStore.isValid\` stays false, because it looks for the end
of a JWT and our tokens are opaque: a token is good for as long as \`authRefresh()\` succeeds.)

## 9. Contact

Prices ${addresses.site}/#prices, privacy ${addresses.site}/privacy, maintainer ${maintainer}.
`;
}
