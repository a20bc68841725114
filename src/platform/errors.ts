/** An error that a caller is answered with: a problem of the table, and what is particular to this one. */
import { getProblemKind, type ProblemCode } from './problems.ts';

export interface ProblemFieldError {
  /** RFC 6901 pointer into the body. */
  readonly pointer: string;
  readonly detail: string;
}

/** A list is sent as several headers of one name. */
type ProblemHeaders = Readonly<Record<string, string | string[]>>;

interface ServiceErrorOptions {
  /** Replaces the sentence of the table; shown to the caller. */
  readonly detail?: string;
  readonly errors?: readonly ProblemFieldError[];
  readonly headers?: ProblemHeaders;
  /** For the log alone, and even there without its message. */
  readonly cause?: unknown;
}

export class ServiceError extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly publicMessage: string;
  readonly errors: readonly ProblemFieldError[] | undefined;
  readonly headers: ProblemHeaders;

  constructor(code: ProblemCode, options: ServiceErrorOptions = {}) {
    const kind = getProblemKind(code);
    super(code, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = kind.status;
    this.publicMessage = options.detail ?? kind.detail;
    this.errors = options.errors;
    this.headers = {
      ...(kind.retryAfter ? { 'retry-after': String(kind.retryAfter) } : {}),
      ...options.headers,
    };
  }
}
