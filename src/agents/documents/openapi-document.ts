/** Builds the OpenAPI document from the routes; imported at the first request, so that it does not slow the start. */
import swagger from '@fastify/swagger';
import { fastify, type RouteOptions } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { RouteAccess } from '#platform/http/app-type.ts';
import { httpLimits, rateBudgets } from '#platform/http/limits/limits.ts';
import {
  apiTags,
  buildProblemResponses,
  listProblemCodes,
  ProblemDetails,
} from '#platform/http/operation.ts';
import { scopeDescriptions } from '#platform/scopes.ts';
import { giveWay } from '#platform/turns.ts';
import { buildWebhooks } from './openapi-webhooks.ts';
import type { DescribedSite } from './public-document.ts';

/** The part of JSON Schema that our routes use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** Includes optional properties, so that the example shows every field. */
export function buildSchemaExample(schema: JsonSchema): unknown {
  const [candidate = schema.const] = [...(schema.examples ?? []), ...(schema.enum ?? [])];
  if (candidate !== undefined) return candidate;
  switch (String([schema.type].flat()[0])) {
    case 'object':
      return mapValues(schema.properties ?? {}, buildSchemaExample);
    case 'array':
      return schema.items ? [buildSchemaExample(schema.items)] : [];
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return '…';
  }
}

export function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The version of the interface, which does not change with releases of the program. */
const SERVICE_API_VERSION = '1.0.0';

/** The parts of a route that its description needs. */
export type DescribedRoute = Pick<RouteOptions, 'config' | 'schema' | 'bodyLimit'> & {
  readonly method: string;
  readonly url: string;
};

type Content = Record<string, { schema?: JsonSchema; example?: unknown }>;

export interface OpenApiResponse {
  description: string;
  content?: Content;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: OpenApiParameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, OpenApiResponse>;
  security?: readonly SecurityRequirement[];
  [extension: `x-${string}`]: unknown;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>> & { readonly title: string; readonly version: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, Record<string, OpenApiOperation>>;
  readonly components: Readonly<Record<string, unknown>>;
}

export async function buildOpenApiDocument(
  site: DescribedSite,
  routes: readonly DescribedRoute[],
): Promise<OpenApiDocument> {
  const document = await generateDocument(site, routes);
  const problem = describeProblem(routes);
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    completeOperation(document.paths[path]![route.method.toLowerCase()]!, route, problem);
    await giveWay();
  }
  // Relative to the server, which is the API.
  const { length } = site.addresses.apiPath;
  document.paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path.slice(length), item]),
  );
  document.webhooks = buildWebhooks();
  return document;
}

/** Adds the routes to a second server for the plugin: ours is already listening and accepts no more plugins. */
async function generateDocument(
  site: DescribedSite,
  routes: readonly DescribedRoute[],
): Promise<OpenApiDocument> {
  const generator = fastify();
  generator.setValidatorCompiler(() => () => true);
  generator.setSerializerCompiler(() => () => '');
  await giveWay();
  await generator.register(swagger, { openapi: buildDocumentFrame(site) as never, stripBasePath: false });
  for (const { method, url, schema } of routes) {
    generator.route({ method, url, schema, handler: () => {} } as RouteOptions);
    await giveWay();
  }
  await generator.ready();
  await giveWay();
  // A deep copy, so that schemas shared between routes are not shared between operations.
  const document = JSON.parse(JSON.stringify(generator.swagger())) as OpenApiDocument;
  await generator.close();
  await giveWay();
  return document;
}

function buildDocumentFrame({ addresses, siteName, maintainer, testNote }: DescribedSite) {
  // Readers of the document refuse an address without a dot in its domain, such as that of a local start.
  const hasEmail = /@[^.]+\../.test(maintainer);
  return {
    openapi: '3.1.0',
    info: {
      title: `${siteName} API`,
      version: SERVICE_API_VERSION,
      summary: 'Buy a confidential inquiry, submit it sealed, follow its case.',
      description: `${testNote && `${testNote} `}Discovery, registration and tokens: ${addresses.registration}. How to seal an inquiry and to open messages and the finding, with test vectors: ${addresses.sealing}. A person completes every payment on the page of the payment provider. Errors are problem details (RFC 9457); unknown fields are refused. Unless an operation says otherwise, a person at a client with a good token, or without one an IP address, may send ${rateBudgets.requests.max} requests a minute to all operations together, and a body may have at most ${httpLimits.jsonBytes / 1_024} KiB.`,
      contact: { name: siteName, url: addresses.site, ...(hasEmail && { email: maintainer }) },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: addresses.api }],
    tags: apiTags,
    externalDocs: { url: addresses.registration, description: 'Instructions for agents' },
    components: { securitySchemes: buildSecuritySchemes(addresses) },
  };
}

/** Lists only the codes of the described operations: programs never see those of the desk or of pages. */
function describeProblem(routes: readonly DescribedRoute[]): object {
  const codes = [...new Set(routes.flatMap(listProblemCodes))];
  const { properties, ...schema } = ProblemDetails;
  return {
    ...schema,
    properties: { ...properties, code: { ...properties.code, enum: codes } },
  };
}

function completeOperation(operation: OpenApiOperation, route: DescribedRoute, problem: object): void {
  const { config = {}, bodyLimit } = route;
  addBinaryBody(operation, route);
  if (operation.parameters) operation.parameters = operation.parameters.map(toNumberParameter);
  // Agents show a model only the description, so it has to say what the operation does.
  operation.description = [`${operation.summary}.`, operation.description ?? []].flat().join(' ');
  operation.security = toSecurityRequirements(config.access);
  if (!config.liveness) operation['x-requests-per-minute'] = rateBudgets[config.budget ?? 'requests'].max;
  if (operation.requestBody) operation['x-body-bytes'] = bodyLimit ?? httpLimits.jsonBytes;
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response.description === 'Default Response')
      response.description = successDescriptions[status] ?? 'The request succeeded.';
    addLimitHeaders(response, config);
  }
  const mayBePaid = listProblemCodes(route).includes('idempotency_key_used');
  for (const [status, refusal] of Object.entries(buildProblemResponses(route, problem))) {
    const headers = status === '409' && mayBePaid ? paidOrder : refusalHeaders[status];
    operation.responses[status] = { ...(refusal as OpenApiResponse), ...(headers && { headers }) };
  }
  addExamples(operation);
}

/** The service reads a number in an address as digits (`describeDigits`), but programs should see an integer. */
function toNumberParameter(parameter: OpenApiParameter): OpenApiParameter {
  const { digits, ...schema } = parameter.schema ?? {};
  return digits ? { ...parameter, schema: { ...schema, type: 'integer', ...digits } } : parameter;
}

const successDescriptions: Readonly<Record<string, string>> = {
  '201': 'Created.',
  '202': 'Accepted; it will be processed later.',
  '204': 'The request succeeded; there is no body.',
  '304': 'Nothing has changed.',
};

const challenge = {
  'WWW-Authenticate': createHeader(
    'What to authenticate with, and where to learn more (RFC 6750, RFC 9449, RFC 9728).',
  ),
};
const pause = { 'Retry-After': createHeader('The number of seconds to wait before trying again.') };
const limitHeaders = {
  RateLimit: createHeader(
    'How many requests are left, for how many seconds (draft-ietf-httpapi-ratelimit-headers); without a good token only once none is left.',
  ),
  'RateLimit-Policy': createHeader('How many requests are allowed, in how many seconds.'),
};
const paidOrder = {
  Location: createHeader('If the order is paid, and a token was sent: its address, for `getOrder`.'),
};
const refusalHeaders: Readonly<Record<string, OpenApiResponse['headers']>> = {
  '401': challenge,
  '403': challenge,
  '429': { ...pause, ...limitHeaders },
  '503': pause,
};

/** As `#platform/http/limits/rate-limit.ts` sends them: only callers with a valid token see the remaining requests. */
function addLimitHeaders(
  response: OpenApiResponse,
  { access = 'public', liveness, produces }: NonNullable<DescribedRoute['config']>,
): void {
  if (liveness || produces !== undefined) return;
  const { RateLimit: left, ...policy } = limitHeaders;
  response.headers = { ...response.headers, ...(access === 'public' ? {} : { RateLimit: left }), ...policy };
}

function createHeader(description: string) {
  return { description, schema: { type: 'string' } };
}

/** Binary bodies have no schema; their routes only name the media type. */
function addBinaryBody(operation: OpenApiOperation, { schema }: DescribedRoute): void {
  const { consumes = [] } = (schema ?? {}) as { consumes?: readonly string[] };
  if (operation.requestBody || consumes.length === 0) return;
  const content = consumes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]);
  operation.requestBody = { required: true, content: Object.fromEntries(content) as Content };
}

function addExamples({ requestBody, responses }: OpenApiOperation): void {
  const contents = [requestBody, ...Object.values(responses)].flatMap((message) =>
    Object.entries(message?.content ?? {}),
  );
  for (const [type, media] of contents)
    if (type === 'application/json' && media.schema && media.example === undefined)
      media.example = buildSchemaExample(media.schema);
}

function buildSecuritySchemes({ oauth }: PublicAddresses) {
  return {
    oauth: {
      type: 'oauth2',
      description:
        'Tokens of this site’s own authorization server, sent as `Authorization: Bearer …`. PKCE with S256 is required.',
      flows: {
        authorizationCode: {
          authorizationUrl: oauth.authorize,
          tokenUrl: oauth.token,
          refreshUrl: oauth.token,
          scopes: scopeDescriptions,
        },
        clientCredentials: { tokenUrl: oauth.token, scopes: scopeDescriptions },
      },
    },
    dpop: {
      type: 'http',
      scheme: 'DPoP',
      description:
        'The same tokens, bound to a key: `Authorization: DPoP …` with a new proof in the `DPoP` header (RFC 9449).',
    },
  };
}

function toSecurityRequirements(access: RouteAccess = 'public'): readonly SecurityRequirement[] {
  // The desk's operations appear in no public document.
  if (access === 'public' || access === 'desk') return [];
  const scope = typeof access === 'string' ? access : access.optional;
  // Scopes belong to OAuth: linters reject them on an HTTP scheme.
  const tokens = [{ oauth: scope === 'token' ? [] : [scope] }, { dpop: [] }];
  return typeof access === 'string' ? tokens : [{}, ...tokens];
}
