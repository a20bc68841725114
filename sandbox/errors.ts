/** The provider's error format, and the errors that the sandbox returns. */

export interface ProviderErrorBody {
  readonly type: 'api_error' | 'idempotency_error' | 'invalid_request_error';
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** An error with the status and body of its response. */
export class ProviderApiError extends Error {
  readonly status: number;
  readonly body: ProviderErrorBody;

  constructor(status: number, body: ProviderErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

export function createInvalidRequestError(message: string, param?: string): ProviderApiError {
  const body = { type: 'invalid_request_error', message, ...(param !== undefined && { param }) } as const;
  return new ProviderApiError(400, body);
}

export function createMissingObjectError(noun: string, id: string): ProviderApiError {
  const message = `There is no ${noun} with the id '${id}'.`;
  return new ProviderApiError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message,
    param: 'id',
  });
}

export function createUnknownUrlError(method: string, path: string): ProviderApiError {
  const message = `Unrecognized request URL (${method}: ${path}).`;
  return new ProviderApiError(404, { type: 'invalid_request_error', message });
}

/** Builds the provider's error for a status that a test has requested. */
export function createInjectedError(status: number): ProviderApiError {
  const message = `The sandbox was told to answer ${status}.`;
  if (status === 429)
    return new ProviderApiError(429, { type: 'invalid_request_error', code: 'rate_limit', message });
  return new ProviderApiError(status, {
    type: status >= 500 ? 'api_error' : 'invalid_request_error',
    message,
  });
}

export function serializeErrorEnvelope(body: ProviderErrorBody): string {
  return JSON.stringify({ error: body });
}
