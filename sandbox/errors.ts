/** The provider's error format. */

interface ErrorFacts {
  readonly type?: 'api_error' | 'idempotency_error';
  readonly code?: string;
  readonly param?: string;
}

/** An error with the status and body of its response. */
export class ProviderApiError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, message: string, facts: ErrorFacts = {}) {
    super(message);
    this.status = status;
    this.body = { error: { type: 'invalid_request_error', message, ...facts } };
  }
}
