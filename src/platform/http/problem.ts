/** Turns errors into responses: RFC 9457 problem details for programs, a page for people. */
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import { type ProblemFieldError, ServiceError } from '#platform/errors.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';
import { type ProblemCode, problemKinds } from '#platform/problems.ts';
import { isPagePreferred } from './accept.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Translates errors of a higher layer; returns undefined for an error it does not know. */
export type ErrorTranslator = (error: unknown) => ServiceError | undefined;

/** Sends a problem as a page; status and headers are already set. */
export type ProblemPageSender = (
  reply: FastifyReply,
  problem: ServiceError,
  requestId: string,
) => Promise<FastifyReply>;

interface ErrorHandlerOptions {
  readonly addresses: PublicAddresses;
  readonly log: Log;
  readonly translate: ErrorTranslator;
  readonly sendProblemPage: ProblemPageSender;
}

export function serializeProblem(error: ServiceError, requestId: string, addresses: PublicAddresses): Buffer {
  const body = {
    type: addresses.problem(error.code),
    title: problemKinds[error.code].title,
    status: error.status,
    detail: error.publicMessage,
    code: error.code,
    request_id: requestId,
    ...(error.errors ? { errors: error.errors } : {}),
    ...(error.purgedOn ? { purged_on: error.purgedOn } : {}),
  };
  return Buffer.from(JSON.stringify(body));
}

/** Returns the problem to send to the caller of a failed request, and logs what to investigate. */
export function resolveProblem(
  { log, translate }: Pick<ErrorHandlerOptions, 'log' | 'translate'>,
  error: unknown,
  requestId: string,
): ServiceError {
  const problem = translate(error) ?? toServiceError(error);
  // A refusal without a cause, such as load shedding, is not a failure to investigate.
  if (problem.status >= 500 && problem.cause !== undefined) {
    const trace = toErrorTrace(problem.cause);
    log.event('request_failed', { request_id: requestId, code: problem.code, ...trace });
  }
  return problem;
}

export function createErrorHandler({ addresses, log, translate, sendProblemPage }: ErrorHandlerOptions) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = resolveProblem({ log, translate }, nameBodyLimit(error, request), request.id);
    reply.code(problem.status).headers(problem.headers);
    if (isPagePreferred(request.raw) && addresses.mayAnswerPage(request.url.split('?', 1)[0] ?? ''))
      return sendProblemPage(reply, problem, request.id);
    return reply.type(PROBLEM_MEDIA_TYPE).send(serializeProblem(problem, request.id, addresses));
  };
}

/** Adds the limit: Fastify refuses a body that is too long without naming what is allowed. */
function nameBodyLimit(error: unknown, { routeOptions: { bodyLimit } }: FastifyRequest): unknown {
  const { code } = (error ?? {}) as Partial<FastifyError>;
  if (code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return error;
  return new ServiceError('payload_too_large', { detail: `The body may have at most ${bodyLimit} bytes.` });
}

const frameworkCodes: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_BAD_URL: 'malformed_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'unsupported_media_type',
};

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const {
    code = '',
    statusCode = 500,
    validation,
    validationContext,
  } = (error ?? {}) as Partial<FastifyError>;
  if (validation)
    return new ServiceError('validation_failed', { errors: toFieldErrors(validation, validationContext) });
  // Fastify's own refusals and a body that was cut off are the caller's fault.
  const isCallerFault = statusCode < 500 && (code.startsWith('FST_') || code === 'ECONNRESET');
  return new ServiceError(frameworkCodes[code] ?? (isCallerFault ? 'malformed_request' : 'internal_error'), {
    cause: error ?? 'nothing',
  });
}

const MAX_FIELD_ERRORS = 20;
const MAX_POINTER_LENGTH = 200;

function toFieldErrors(errors: FastifySchemaValidationError[], context = 'body'): ProblemFieldError[] {
  return dropRepetitions(errors)
    .slice(0, MAX_FIELD_ERRORS)
    .map((error) => {
      const pointer = toPointer(error).slice(0, MAX_POINTER_LENGTH);
      if (context === 'body') return { pointer, detail: formatFieldError(error) };
      // A value in a URL or a header is always text, unless it is given twice.
      const detail = error.keyword === 'type' ? 'must be given once' : formatFieldError(error);
      return { parameter: pointer.slice(1), detail };
    });
}

/** Drops the type error of a value that breaks another rule, too, as a value of the wrong type often does. */
function dropRepetitions(errors: FastifySchemaValidationError[]): FastifySchemaValidationError[] {
  const others = new Set(errors.filter(({ keyword }) => keyword !== 'type').map(toPointer));
  return errors.filter((error) => error.keyword !== 'type' || !others.has(toPointer(error)));
}

function toPointer({ instancePath, params }: FastifySchemaValidationError): string {
  const name = params['additionalProperty'] ?? params['missingProperty'];
  if (typeof name !== 'string') return instancePath;
  // RFC 6901 §3.
  return `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

interface VerboseError extends FastifySchemaValidationError {
  readonly parentSchema?: { readonly description?: string };
}

function formatFieldError({ keyword, params, message, parentSchema }: VerboseError): string {
  switch (keyword) {
    case 'additionalProperties':
      return 'is not a known field';
    case 'required':
      return 'is missing';
    case 'type':
      return `must be ${/^[aeiou]/.test(String(params['type'])) ? 'an' : 'a'} ${params['type']}`;
    case 'enum':
      return `must be one of ${formatChoices(params['allowedValues'] as readonly unknown[])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'minLength':
      return `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'digits':
      return 'must be a whole number within its limits, in digits';
    case 'pattern':
      return [message, parentSchema?.description ?? []].flat().join(': ');
    default:
      return message ?? 'is not valid';
  }
}

/** Avoids a JSON list, which would suggest that the value must be a list. */
function formatChoices(values: readonly unknown[]): string {
  const listed = values.map((value) => JSON.stringify(value)).join(', ');
  return values.every((value) => typeof value === 'string') ? `these strings: ${listed}` : listed;
}
