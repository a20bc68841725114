/** Holds the provider's error envelope and the refusals that the sandbox knows. */

export interface ErrorBody {
  readonly type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** A refusal with the status and the envelope that the caller will see. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

export function invalidRequest(message: string, details: { code?: string; param?: string } = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message, ...details });
}

export function noSuch(noun: string, id: string, param = 'id', status = 404): ApiError {
  const message = `There is no ${noun} with the id '${id}'.`;
  return new ApiError(status, { type: 'invalid_request_error', code: 'resource_missing', message, param });
}

export function unknownUrl(method: string, path: string): ApiError {
  const message = `Unrecognized request URL (${method}: ${path}).`;
  return new ApiError(404, { type: 'invalid_request_error', message });
}

/** What the provider would say with this status when the switchboard demands a failure. */
export function injected(status: number): ApiError {
  const message = `The sandbox was told to answer ${status}.`;
  if (status === 429)
    return new ApiError(429, { type: 'invalid_request_error', code: 'rate_limit', message });
  if (status === 402) return new ApiError(402, { type: 'card_error', code: 'card_declined', message });
  if (status === 409)
    return new ApiError(409, { type: 'invalid_request_error', code: 'lock_timeout', message });
  return new ApiError(status, { type: status >= 500 ? 'api_error' : 'invalid_request_error', message });
}

export function envelope(body: ErrorBody): string {
  return JSON.stringify({ error: body });
}
