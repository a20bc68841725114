/** An error that is sent to the caller: a code from the table of problems, with details of this occurrence. */
import { type ProblemCode, problemKinds } from './problems.ts';

export type ProblemFieldError = {
  readonly detail: string;
} & (
  | {
      /** RFC 6901 pointer into the body. */
      readonly pointer: string;
    }
  | {
      /** The name of a part of the address, or of a header. */
      readonly parameter: string;
    }
);

/** A list is sent as several headers with the same name. */
type ProblemHeaders = Readonly<Record<string, string | string[]>>;

interface ServiceErrorOptions {
  /** Replaces the table's sentence; the caller sees it. */
  readonly detail?: string;
  readonly errors?: readonly ProblemFieldError[];
  readonly headers?: ProblemHeaders;
  /** The day of a purge, as an extension member (RFC 9457 §3.2). */
  readonly purgedOn?: string;
  /** Only logged, and without its message. */
  readonly cause?: unknown;
}

export class ServiceError extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly publicMessage: string;
  readonly errors: readonly ProblemFieldError[] | undefined;
  readonly headers: ProblemHeaders;
  readonly purgedOn: string | undefined;

  constructor(code: ProblemCode, options: ServiceErrorOptions = {}) {
    const kind = problemKinds[code];
    super(code, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = kind.status;
    this.publicMessage = options.detail ?? kind.detail;
    this.errors = options.errors;
    this.purgedOn = options.purgedOn;
    this.headers = {
      ...(kind.retryAfter ? { 'retry-after': String(kind.retryAfter) } : {}),
      ...options.headers,
    };
  }
}
